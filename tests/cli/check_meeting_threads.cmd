weft check ../evaluators/meeting_threads.py -k scattered -k cancelled; weft check ../evaluators/meeting_threads.py -k shared_rows --no-example | head -2
