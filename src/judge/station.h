/* Where answers are judged: the sandbox with its headers compiled ahead, the processes that have a card, and a referee for each thread.
 * Making one takes about a second; everything that it holds serves all answers. */
#ifndef WEFT_JUDGE_STATION_H
#define WEFT_JUDGE_STATION_H

#include "judge/score.h"

typedef struct Station {
    RefereeOptions referee;
    Sandbox sandbox;
    Cards *cards; /* NULL: CUDA runs as C++ */
} Station;

/* For the tasks of the score that are wanted. False: score->error says why. To be closed in any case; all zero: nothing happens. */
bool station_open(Station *station, Score *score, unsigned jobs, const Trace *trace);
void station_close(Station *station);

/* The key of hidden launches, in the file of the options or beside the results; `make`: where there is no such file, it is made.
 * True, too, where no hidden launches are wanted. */
bool station_open_key(Score *score, bool make);

Referee *station_referee(Station *station); /* NULL: out of memory */
void station_dismiss(Referee *referee);     /* NULL: nothing happens */

typedef struct AnswerGiven {
    const ScoreTask *task;
    Span text;
    bool is_no_text;
} AnswerGiven;

void station_judge(Referee *referee, const Score *score, const AnswerGiven *answer, Verdict *verdict);

#endif
