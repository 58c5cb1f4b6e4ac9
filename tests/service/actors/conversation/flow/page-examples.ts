/** The flows of docs/flows.md and the dialogues beside them, read from the page. */
import { parse } from 'yaml';
import { localMoment, WEEKDAYS } from '../../../../../shared/time/local-time.ts';

export interface Example {
  /** Unique in the page: its heading, and the dialogue's number under it. */
  readonly title: string;
  readonly flow: Flow;
  readonly dialogue: readonly string[];
}

export interface Flow extends Readonly<Record<string, unknown>> {
  readonly ref: string;
}

const HEADING = /^#+ (.+)$/;
const BLOCK = /^(#+ .+)$|^```(yaml|talk)\n([\s\S]*?)^```$/gm;

/** Every dialogue with the flow above it. A flow without a dialogue is an example without lines. */
export function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = [];
  let heading = '';
  let flow: Flow | null = null;
  let dialogues = 0;
  const close = () => {
    if (flow !== null && dialogues === 0) examples.push({ title: heading, flow, dialogue: [] });
  };
  for (const [, title, language, text = ''] of page.matchAll(BLOCK)) {
    if (title !== undefined) heading = HEADING.exec(title)?.[1] ?? '';
    else if (language === 'yaml') {
      close();
      flow = flowOf(parse(text));
      dialogues = 0;
    } else if (flow !== null) {
      dialogues += 1;
      const dialogue = text.trim().split('\n');
      examples.push({ title: `${heading}, talk ${dialogues}`, flow, dialogue });
    }
  }
  close();
  return examples;
}

/** A block shows one flow, or the list that holds it. */
function flowOf(value: { readonly flows?: readonly Flow[] } & Flow): Flow {
  return value.flows?.[0] ?? value;
}

/** A silence of the dialogue, in the service's own time. */
const IDLE_TIMEOUT = '600ms';
const DAY_MINUTES = 24 * 60;

export interface DialogueContext {
  readonly dialogue: readonly string[];
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Where the other system of the page is. */
  readonly erp: string;
}

/**
 * The flow as the dialogue needs it. Timeouts that the dialogue waits for (`~`) become moments;
 * every other one stays, so that no answer races its timeout. Opening hours move with the clock:
 * the present moment counts as the dialogue's (`@`).
 */
export function flowFor(flow: Flow, context: DialogueContext): unknown {
  const idleTimeouts = new Set(wordsOf(context.dialogue, '~'));
  const shift = shiftOf(context);
  return walk(flow, (name, value) => {
    if (name === 'timeout' && idleTimeouts.has(String(value))) return IDLE_TIMEOUT;
    if (name === 'hours') return String(value).split('-').map(shift.time).join('-');
    if (name === 'weekday' && Array.isArray(value)) return value.map(shift.weekday);
    if (typeof value === 'string') return value.replace('https://erp.example.com', context.erp);
    return value;
  });
}

function wordsOf(dialogue: readonly string[], mark: string): readonly string[] {
  return dialogue.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2));
}

function shiftOf({ dialogue, timeZone, now }: DialogueContext) {
  const present = localMoment(now, timeZone);
  const [day = present.weekday, time = present.time] = wordsOf(dialogue, '@')[0]?.split(' ') ?? [];
  const days = placeOf(present.weekday) - placeOf(day);
  const minutes = minutesOf(present.time) - minutesOf(time);
  return {
    weekday: (each: string) => WEEKDAYS.at((placeOf(each) + days) % WEEKDAYS.length),
    time: (each: string) => timeOf((minutesOf(each) + minutes + DAY_MINUTES) % DAY_MINUTES),
  };
}

function placeOf(weekday: string): number {
  const days: readonly string[] = WEEKDAYS;
  return days.indexOf(weekday);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function timeOf(minutes: number): string {
  const parts = [Math.floor(minutes / 60), minutes % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

type Change = (name: string, value: unknown) => unknown;

function walk(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return value.map((each) => walk(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, own]) => {
    const changed = change(name, own);
    return [name, changed === own ? walk(own, change) : changed];
  });
  return Object.fromEntries(entries);
}
