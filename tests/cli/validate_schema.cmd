weft validate --schema | diff - ../../docs/record.schema.json && echo the same
