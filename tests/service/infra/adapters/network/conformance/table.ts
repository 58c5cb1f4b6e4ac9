/**
 * Table of cells: promise × moment × engine. All cells of a file run at once, each on a number of
 * its own, over one service. That is gateway, actors, NATS, MongoDB and the simulated networks.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Organization, organizations } from '../../../../../support/organization.ts';
import { shareStack } from '../../../../../support/shared-stack.ts';
import type { Stack } from '../../../../../support/stack.ts';
import { Fixture } from './fixture.ts';
import { BRIDGE_VERSION, ENGINES, type Engine, realNetwork } from './target.ts';

interface Row {
  readonly promise: string;
  /** When it happens, seen from the answer to a send; null where no send is involved. */
  readonly moment: 'before' | 'during' | 'after' | null;
  readonly engines: readonly Engine[];
  /** Of the bridge. */
  readonly version: string;
  readonly holds: Holds;
}

type Holds = (fixture: Fixture) => Promise<void>;

/** Rows of these engines, or of every engine, by their moment. */
export function rowsFor(engines: readonly Engine[] = ENGINES, version = BRIDGE_VERSION) {
  const at = (moment: Row['moment']) => (promise: string, holds: Holds) =>
    ({ promise, moment, engines, version, holds }) satisfies Row;
  return { before: at('before'), during: at('during'), after: at('after'), alone: at(null) };
}

interface Cell {
  readonly name: string;
  readonly row: Row;
  readonly engine: Engine;
  readonly ref: string;
}

export function conformance(title: string, rows: readonly Row[]): void {
  const cells = cellsOf(rows);
  const skip = realNetwork !== null && 'this part needs a network that can be made to fail';
  describe(title, { concurrency: true, skip }, () => {
    let stack: Stack;
    let orgs: Readonly<Record<string, Organization>>;
    const failed = new Map<string, unknown>();
    before(async () => {
      stack = await shareStack();
      // The driver learns the engine with its first probe: the engine comes before the channel.
      for (const cell of cells) await setEngine(stack, cell).catch((e) => failed.set(cell.ref, e));
      orgs = await organizations(stack, Object.fromEntries(cells.map(({ ref }) => [ref, {}])));
    });
    after(() => stack?.stop());
    for (const { name, row, engine, ref } of cells) {
      test(name, async () => {
        if (failed.has(ref)) throw failed.get(ref);
        const org = orgs[ref];
        assert.ok(org);
        await row.holds(new Fixture(engine, stack, org));
      });
    }
  });
}

function cellsOf(rows: readonly Row[]): readonly Cell[] {
  return rows.flatMap((row, index) =>
    row.engines.map((engine) => {
      const when = row.moment === null ? '' : ` · ${row.moment} the answer`;
      return { name: `${row.promise}${when} · ${engine}`, row, engine, ref: `${engine}-${index}` };
    }),
  );
}

async function setEngine(stack: Stack, { engine, row, ref }: Cell): Promise<void> {
  if (engine === 'cloud') return;
  const session = `session-${stack.prefix}${ref}`;
  await stack.network.control('POST /engines', { session, engine, version: row.version });
}
