/** Protections of the installation against a flow: its work is bounded, and so are its tries. */
import type { Mutant } from './mutant.ts';

export const OF_FLOWS: readonly Mutant[] = [
  {
    name: 'each template of a step has a budget of its own',
    file: 'shared/liquid/budget.ts',
    find: 'this.#spent += units;',
    replace: 'this.#spent = units;',
    caughtBy: { test: 'tests/unit/actors/domain/flow/budget.test.ts' },
  },
  {
    name: 'a step beyond its budget is carried out all the same',
    file: 'actors/domain/flow/decide.ts',
    find: 'if (decided && budget.exceeded)',
    replace: 'if (decided && budget.exceeded && !decided.state.run)',
    caughtBy: { test: 'tests/unit/actors/domain/flow/budget.test.ts' },
  },
  {
    name: 'the steps of a run do not add up',
    file: 'actors/domain/flow/decide.ts',
    find: 'const spent = (before?.spent ?? 0) + units;',
    replace: 'const spent = Math.max(before?.spent ?? 0, units);',
    caughtBy: { test: 'tests/unit/actors/domain/flow/budget.test.ts' },
  },
  {
    name: 'the tries of a step are not counted over its owners',
    file: 'actors/conversation/flow/recovered-steps.ts',
    find: 'const begun = { ...entry.timer.begunIn, [keyOf(epoch)]: true };',
    replace: 'const begun = { [keyOf(epoch)]: true };',
    caughtBy: { test: 'tests/faults/fencing/recovered-steps.test.ts' },
  },
  {
    name: 'a try of a step that its owner outlived ends its run',
    file: 'actors/conversation/flow/engine.ts',
    find: 'if (tries > 0) void takeBackTry(environment, entryKey, epoch);',
    replace: '',
    caughtBy: { test: 'tests/faults/fencing/recovered-steps.test.ts' },
  },
  {
    name: 'a flow starts for a number of the organization’s own',
    file: 'actors/domain/flow/decide.ts',
    find: "  if (org.ownNumbers?.has(phoneKey(phone))) return 'own-number';\n",
    replace: '',
    caughtBy: { test: 'tests/unit/actors/domain/flow/decide.test.ts' },
  },
  {
    name: 'an own number in another spelling is another number',
    file: 'actors/domain/flow/decide.ts',
    find: 'org.ownNumbers?.has(phoneKey(phone))',
    replace: 'org.ownNumbers?.has(phone)',
    caughtBy: { test: 'tests/unit/actors/domain/flow/decide.test.ts' },
  },
  {
    name: 'quick turns pause nothing',
    file: 'actors/domain/conversation/quick-turns.ts',
    find: 'if (ends.length < QUICK_TURNS_MAX)',
    replace: 'if (ends.length)',
    caughtBy: { test: 'tests/unit/actors/domain/conversation/quick-turns.test.ts' },
  },
  {
    name: 'turns of any time are counted together',
    file: 'actors/domain/conversation/quick-turns.ts',
    find: 'now - end < QUICK_TURNS_WITHIN_MS',
    replace: 'end <= now',
    caughtBy: { test: 'tests/unit/actors/domain/conversation/quick-turns.test.ts' },
  },
  {
    name: 'a person who takes longer than 2 s counts as a bot',
    file: 'actors/domain/conversation/quick-turns.ts',
    find: ' && now - lastMessageAt <= QUICK_AFTER_MS',
    replace: ' && now >= lastMessageAt',
    caughtBy: { test: 'tests/unit/actors/domain/conversation/quick-turns.test.ts' },
  },
  {
    name: 'nobody is told of the pause after quick turns',
    file: 'actors/domain/flow/send.ts',
    find: 'outbox: [...sent.outbox, told]',
    replace: 'outbox: told ? sent.outbox : []',
    caughtBy: { test: 'tests/unit/actors/domain/flow/send.test.ts' },
  },
];
