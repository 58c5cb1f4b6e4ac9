/** Every checker under its name. */
import { bridge } from './bridge.ts';
import { bulk } from './bulk.ts';
import { changes } from './changes.ts';
import { type Checker, type Verdict, verdictOf } from './checker.ts';
import { contacts } from './contacts.ts';
import { deals } from './deals.ts';
import { deliveries } from './deliveries.ts';
import { fairness } from './fairness.ts';
import { flows } from './flows.ts';
import type { History } from './history.ts';
import { inbound } from './inbound.ts';
import { limits } from './limits.ts';
import { liveness } from './liveness.ts';
import { media } from './media.ts';
import { network } from './network.ts';
import { notes } from './notes.ts';
import { once } from './once.ts';
import { optOuts } from './opt-outs.ts';
import { pipelines } from './pipelines.ts';
import { reads } from './reads.ts';
import { scheduled } from './scheduled.ts';
import { sends } from './sends.ts';
import { streams } from './streams.ts';
import { templates } from './templates.ts';
import { windows } from './windows.ts';

const CHECKERS: Readonly<Record<string, Checker>> = {
  ...{ sends, reads, network, bridge, deals, flows, contacts, deliveries, inbound },
  ...{ changes, fairness, bulk, notes, pipelines },
  ...{ scheduled, optOuts, templates, limits, windows, once, media, liveness, streams },
};

export function verdictsOn(history: History): readonly (readonly [string, Verdict])[] {
  return Object.entries(CHECKERS).map(([name, checker]) => [name, verdictOf(checker, history)]);
}

export function violationsIn(verdicts: ReturnType<typeof verdictsOn>): readonly string[] {
  return verdicts.flatMap(([name, { violations }]) =>
    violations.map((violation) => `${name}: ${violation}`),
  );
}
