/* The contract of a kernel: what it computes, in words and formulas, told from its own syntax tree. So nothing is said that the code does
 * not do. A reader who knows Warp can write the kernel from it; tools/read_contract.py does so by rule. */
#ifndef WEFT_SYNTH_CONTRACT_CONTRACT_H
#define WEFT_SYNTH_CONTRACT_CONTRACT_H

#include "front/ast.h"

/* NO_WORDS: it has a statement or an expression that none are known for. UNKNOWN_NAME: it uses what its module does not define. */
typedef enum ContractResult { CONTRACT_TOLD, CONTRACT_NO_WORDS, CONTRACT_UNKNOWN_NAME } ContractResult;

/* Lines for what each thread does, then for the functions that it calls. `kernel` is the kernel's definition in the module. Where it is not
 * told, *out holds a part. */
ContractResult contract_add_steps(Arena *arena, const Node *module, const Node *kernel, Text *out);
/* "EPS = 1e-06, Shape.BOX = 0": constants of the module, enums included. False: there are none. */
bool contract_add_constants(const Node *module, Text *out);
/* The kernel of that name; NULL: the module has none. */
const Node *contract_find_kernel(const Node *module, const char *name);

#endif
