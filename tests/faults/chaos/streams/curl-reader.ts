/**
 * Event stream read by `curl`, as a shell script would. Each connection is a process of its own,
 * and names the last id that was read. Without `curl` a reader of a few lines takes its place.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../simulation/world/seeded-random.ts';
import type { Consumer, Life, Sighting } from './sighting.ts';

const AGAIN_MS = 200;
/** Now and then a script has lost the end of what it has read. */
const FORGETS = 1 / 3;
const FORGOTTEN_MAX = 20;

/** As `curl -sSN` does: prints the body as it comes, and ends with the response. */
const PLAIN_READER = `
const [url, ...headers] = process.argv.slice(1);
const pairs = headers.map((line) => line.split(': '));
const response = await fetch(url, { headers: Object.fromEntries(pairs) });
for await (const chunk of response.body) process.stdout.write(chunk);
`;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

export interface CurlOptions {
  readonly name: string;
  readonly key: string;
  readonly url: string;
  readonly random: SeededRandom;
}

interface OpenLife extends Life {
  readonly sightings: Sighting[];
}

export class CurlReader implements Consumer {
  readonly reading = 'connection';
  readonly name: string;
  readonly key: string;
  readonly lives: OpenLife[] = [];
  readonly faults = [];
  readonly #options: CurlOptions;
  readonly #running: Promise<void>;
  /** Everything up to it is settled. */
  #settledUpTo: string | null = null;
  #child: ChildProcess | null = null;
  #isClosed = false;

  constructor(options: CurlOptions) {
    this.name = options.name;
    this.key = options.key;
    this.#options = options;
    this.#running = this.#run();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    child?.kill('SIGKILL');
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.kill();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const after = this.#lastRead();
      const sightings: Sighting[] = [];
      this.lives.push({ after, sightings });
      await this.#connect(after, sightings);
      if (sightings.length > 0) this.#settledUpTo = after;
      await pause(AGAIN_MS);
    }
  }

  /** The id that the next connection names: the last one read, or one before it. */
  #lastRead(): string | null {
    const { random } = this.#options;
    const read = this.lives.findLast(({ sightings }) => sightings.length > 0)?.sightings ?? [];
    const unsettled = read.slice(read.findIndex(({ id }) => id === this.#settledUpTo) + 1);
    const forgotten = random.happens(FORGETS) ? 1 + random.below(FORGOTTEN_MAX) : 0;
    const last = unsettled[Math.max(0, unsettled.length - 1 - forgotten)];
    return last?.id ?? this.#settledUpTo;
  }

  async #connect(after: string | null, sightings: Sighting[]): Promise<void> {
    const { url, key } = this.#options;
    const headers = [`authorization: Bearer ${key}`];
    const place = this.lives
      .flatMap((life) => life.sightings)
      .findLast(({ id }) => id === after)?.place;
    if (after !== null) headers.push(`last-event-id: ${place ?? after}`);
    const [program, args] = hasCurl
      ? ['curl', ['-sSN', ...headers.flatMap((line) => ['-H', line]), url]]
      : [process.execPath, ['--input-type=module', '-e', PLAIN_READER, url, ...headers]];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    const ended = once(child, 'close');
    let rest = '';
    child.stdout.setEncoding('utf8');
    for await (const piece of child.stdout) {
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) sightings.push(...sightingsIn(block));
    }
    await ended;
  }
}

/** None in a comment, in `retry`, and in an event without an id. */
function sightingsIn(block: string): readonly Sighting[] {
  const lines = block
    .split('\n')
    .map((line) => /^(?<field>\w+): ?(?<value>.*)$/.exec(line)?.groups);
  const of = (name: string): string | undefined =>
    lines.find((line) => line?.field === name)?.value;
  const [place, event = '', data = ''] = [of('id'), of('event'), of('data')];
  if (place === undefined) return [];
  const id = place.slice(place.indexOf('.') + 1);
  return [{ id, place, event, data, isTaken: true }];
}
