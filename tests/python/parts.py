"""Parts of a test that can run alone: `test_NAME.py PART …` runs those, `test_NAME.py --parts` names them all."""

import os
import sys

# One failure says it all: tools/mutants.py wants to know whether there is one.
FIRST = "WEFT_MUTANT" in os.environ


def chosen(*tests):
    """Those of the tests, which are functions, that the command line names; all where it names none."""
    if "--parts" in sys.argv:
        print(*(test.__name__ for test in tests), sep="\n")
        sys.exit(0)
    named = [word for word in sys.argv[1:] if any(word == test.__name__ for test in tests)]
    return [test for test in tests if not named or test.__name__ in named]


def key_file(path, number):
    """A hidden key that is the same in every run of a test."""
    path.write_text(f"weft hidden key\nkey {number:032x}\nsalt {'5a' * 16}\n")
    return path
