/** Coverage of a batch of worlds: a batch that covered too little proves too little. */
import { FAULT_CLASSES, type FaultClass, SLOW_FAULT_CLASSES } from './world/fault-classes.ts';

export class Coverage {
  readonly counts = new Map<string, number>();

  fault(fault: FaultClass): void {
    this.count(`fault ${fault}`);
  }

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  add(other: Iterable<readonly [string, number]>): void {
    for (const [what, times] of other) this.count(what, times);
  }
}

/** Of messages with a time. */
export const SCHEDULED_OPERATIONS = ['schedule', 'cancel', 'opt-out'] as const;
/** About templates and the 24 hours. */
export const TEMPLATE_OPERATIONS = [
  'send-template',
  'schedule-template',
  'send-fallback',
  'schedule-fallback',
  'send-refuse',
  'schedule-refuse',
  'template-change',
  'window-message',
  'marketing-stop',
] as const;
/** Commands that clients and networks bring about. */
export const OPERATIONS = [
  ...SCHEDULED_OPERATIONS,
  ...TEMPLATE_OPERATIONS,
  'send',
  'send-by-conversation',
  'send-once',
  'send-url',
  'send-file',
  'contact',
  'flow-start',
  'deal-create',
  'deal-change',
  'task-create',
  'task-change',
  'inbound-webhook',
  'network-message',
  'network-media',
  'network-echo',
  'conversation-change',
  'list-messages',
  'list-conversations',
  'note',
  'reply',
  'assign',
  'pause',
  'resume',
  'resolve',
] as const;
/** Changes under a key, each with a value of its own. */
export const KEYED_OPERATIONS = ['deal-change-once', 'task-change-once', 'contact-field'] as const;
/** Of busy shops alone. */
export const CAMPAIGN_OPERATIONS = ['campaign-message', 'campaign-opt-out'] as const;
export const DESK_OPERATIONS = [
  'write-note',
  'contact-upsert',
  'contact-change',
  'pipeline-create',
  'pipeline-change',
  'stage-deal',
  'add-file',
  'remove-file',
  'send-added-file',
] as const;
const BUSY_OPERATIONS = [...CAMPAIGN_OPERATIONS, ...DESK_OPERATIONS] as const;
/** More frequent in slow worlds; the last one is theirs alone. */
export const SLOW_OPERATIONS = [...KEYED_OPERATIONS, 'reconfigure'] as const;
export type Operation = (
  | typeof OPERATIONS
  | typeof SLOW_OPERATIONS
  | typeof BUSY_OPERATIONS
)[number];

/** Refusals that the worlds have to bring about, as status codes of an operation's answer. */
const REFUSALS = [401, 403, 404, 409, 422, 429] as const;

const HAPPENINGS = [
  'take-over',
  'take-over during a commit',
  'lease lost',
  'repeat answered',
  'send after the newest message',
  'send refused after another message',
  'send in doubt',
  'send claimed by its insert',
  'delivery of three attempts',
  'flow started',
  'flow skipped',
  'lost idempotent call repeated',
  'media arrived',
  'media sent',
  'lost keyed call repeated late',
  'late message',
  'scheduled message released',
  'scheduled message cancelled',
  'bulk message cancelled',
  'bulk message expired',
  'bulk message of an opted-out contact',
  'deal followed its stage',
  'reply waited',
  'reply waited behind others',
  'reply waited behind its predecessors',
  'scheduled message of an opted-out contact',
  'flow message of an opted-out contact',
  'released message of an opted-out contact',
  'template sent',
  'fallback sent for a refusal',
  'fallback sent in its turn',
  'message with a fallback sent',
  'window closed by the time of a message',
  'template not valid at its time',
  'template refused by the network',
  'marketing message stopped',
  'call refused for the window',
  'template refused at its call',
  'world of jumping clocks',
  'clock jumped forward',
  'clock jumped back',
  'contacts joined',
  'conversations joined',
] as const;

/** What readers of event streams do, and what their operator does (`streams/`). */
const STREAM_HAPPENINGS = [
  'opened',
  'read by a push',
  'reader refused',
  'reader stalled',
  'connection complete',
  'connection cut off',
  'connection left',
  'connection lost',
  'connection replaced',
  'acknowledged by header',
  'acknowledged by a call',
  'acknowledged by results',
  'acknowledged by an old id again',
  'acknowledged by a bare id',
  'key narrowed',
  'key revoked',
  'key renewed',
  'event beyond its key',
  'deliveries retried',
  'retried delivery read',
  'told of an overflow',
] as const;

/** Fewer worlds have too few slow ones among them to have seen every fault in those. */
const SLOW_FAULTS_FROM_WORLDS = 500;

/** The faults of a slow world, under names of their own. */
export function slowFaults(counts: Iterable<readonly [string, number]>): [string, number][] {
  return [...counts].flatMap(([what, times]) =>
    what.startsWith('fault ') ? [[`slow ${what}`, times]] : [],
  );
}

/** Events that a batch of so many worlds should have covered and has not. */
export function gaps(coverage: Coverage, worlds: number): readonly string[] {
  const inSlowOnes = worlds >= SLOW_FAULTS_FROM_WORLDS ? FAULT_CLASSES : [];
  const wanted: [string, number][] = [
    ...inSlowOnes.map((fault): [string, number] => [`slow fault ${fault}`, worlds / 500]),
    ...OPERATIONS.map((name): [string, number] => [`operation ${name}`, worlds / 2]),
    ...REFUSALS.map((status): [string, number] => [`refusal ${status}`, worlds / 50]),
    ...FAULT_CLASSES.map((fault): [string, number] => [`fault ${fault}`, worlds / 50]),
    ...SLOW_OPERATIONS.map((name): [string, number] => [`operation ${name}`, worlds / 10]),
    ...BUSY_OPERATIONS.map((name): [string, number] => [`operation ${name}`, worlds / 20]),
    ...SLOW_FAULT_CLASSES.map((fault): [string, number] => [`fault ${fault}`, worlds / 50]),
    ...HAPPENINGS.map((name): [string, number] => [`happening ${name}`, worlds / 100]),
    ...STREAM_HAPPENINGS.map((name): [string, number] => [`stream ${name}`, worlds / 100]),
  ];
  return wanted
    .filter(([what, least]) => (coverage.counts.get(what) ?? 0) < least)
    .map(([what, least]) => `${what}: ${coverage.counts.get(what) ?? 0} of ${Math.ceil(least)}`);
}
