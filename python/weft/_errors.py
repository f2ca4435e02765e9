"""What weft raises: the message, where it is, and whose fault it is."""


class Error(Exception):
    """A kernel, or a whole text, that could not be compiled.

    message   what is wrong, in one sentence
    hint      what to write instead, or None
    path, line, column   where; lines and columns count from 1
    kernel    the kernel it is about, or None for the text as a whole
    kind      "unsupported": weft cannot do it; "error": the source is wrong, and Warp refuses it, too
    shown     all of it as the command line prints it, with the line and a caret
    """

    kind = "error"

    def __init__(self, message, *, hint=None, path=None, line=None, column=None, kernel=None, shown=None):
        self.message, self.hint, self.kernel = message, hint, kernel
        self.path, self.line, self.column = path, line, column
        self.shown = shown if shown is not None else message
        super().__init__(self.shown.rstrip("\n"))

    def __reduce__(self):
        fields = ("hint", "path", "line", "column", "kernel", "shown")
        return _restore, (type(self), self.message, {name: getattr(self, name) for name in fields})


def _restore(cls, message, fields):
    return cls(message, **fields)


class Refused(Error):
    """weft cannot do this; Warp perhaps can."""

    kind = "unsupported"


class CompileError(Error):
    """The source is wrong: Warp refuses it, too."""


def from_native(refusal):
    """The exception that says what the compiler said."""
    cls = Refused if refusal["unsupported"] else CompileError
    fields = {name: refusal[name] for name in ("hint", "path", "line", "column", "kernel", "shown")}
    return cls(refusal["message"], **fields)
