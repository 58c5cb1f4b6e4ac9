/**
 * A program of an integrator's: the packed client, installed from the service, reads a stream in a
 * loop. It writes each event down before it asks for the next one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Project } from '../../../support/infra/kit/installed.ts';
import { KilledProgram } from './killed-program.ts';
import type { Consumer, Life } from './sighting.ts';

const SCRIPT = `
import { appendFileSync } from 'node:fs';
import { createClient } from 'recado-client';

const [baseUrl, key, name, events, file] = process.argv.slice(2);
const client = createClient({ baseUrl, key });
const stream = client.events({ name, events: events.split(',') });
for await (const { id, event, body: data } of stream) {
  appendFileSync(file, JSON.stringify({ id, event, data, isTaken: true }) + '\\n');
}
`;
const Line = v.object({
  id: v.string(),
  event: v.string(),
  data: v.string(),
  isTaken: v.boolean(),
});

export interface ClientLoopOptions {
  readonly name: string;
  readonly key: string;
  readonly baseUrl: string;
  readonly events: string;
  /** With the client's package. */
  readonly project: Project;
}

export class ClientLoop implements Consumer {
  readonly reading = 'client';
  readonly name: string;
  readonly key: string;
  readonly #folder: string;
  readonly #program: KilledProgram;
  /** The life whose file is read, and the bytes that were read of it. */
  #reading = 0;
  #offset = 0;

  constructor({ name, key, baseUrl, events, project }: ClientLoopOptions) {
    this.name = name;
    this.key = key;
    this.#folder = project.folder;
    project.write(`${name}.mjs`, SCRIPT);
    this.#program = new KilledProgram({
      ...{ program: join(project.folder, `${name}.mjs`), folder: project.folder },
      args: (life) => [baseUrl, key, name, events, this.#file(life)],
    });
  }

  get lives(): readonly Life[] {
    const { lives } = this.#program;
    for (let life = this.#reading; life < lives.length; life++) this.#readOn(life);
    return lives;
  }

  get faults(): readonly string[] {
    return this.#program.faults;
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  #file(life: number): string {
    return join(this.#folder, `${this.name}-${life}.jsonl`);
  }

  /** Lines that the life has written since the last call; a kill may have cut its last line off. */
  #readOn(life: number): void {
    if (life > this.#reading) [this.#reading, this.#offset] = [life, 0];
    const file = this.#file(life);
    if (!existsSync(file)) return;
    const text = readFileSync(file).subarray(this.#offset).toString('utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    this.#offset += Buffer.byteLength(whole);
    const lines = whole.split('\n').slice(0, -1);
    const sightings = lines.map((line) => v.parse(Line, JSON.parse(line)));
    this.#program.lives[life]?.sightings.push(...sightings);
  }
}
