weft standalone --verify ../cli
