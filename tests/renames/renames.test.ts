/** The comparison of two revisions tells every difference that is more than a name. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { differences } from './compare.ts';
import { openRevision } from './revision.ts';

type Files = Readonly<Record<string, string>>;

const CONFIG = {
  compilerOptions: {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, types: [] },
    allowImportingTsExtensions: true,
  },
};
const BEFORE: Files = {
  'tray.ts': `/** A tray. */
export interface Tray { readonly slots: number; readonly used: number }
export function room(tray: Tray, kept = 0): number {
  const { slots, used } = tray;
  return slots - used - kept;
}
`,
  'desk.ts': `import { room, type Tray } from './tray.ts';
const count = (slots: number, used: number): Tray => ({ slots, used });
console.log('room', room(count(3, 1)));
`,
};

const folder = mkdtempSync(join(tmpdir(), 'recado-renames-test-'));
let revisions = 0;
after(() => rmSync(folder, { recursive: true }));

function revisionOf(files: Files) {
  revisions += 1;
  const root = join(folder, String(revisions));
  for (const [path, text] of Object.entries({
    ...files,
    'tsconfig.json': JSON.stringify(CONFIG),
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return openRevision(root);
}

interface Changed {
  readonly files?: ReadonlyMap<string, string>;
  readonly literals?: ReadonlyMap<string, string>;
}

function compared(changed: Files, { files, literals = new Map() }: Changed = {}) {
  using before = revisionOf(BEFORE);
  using after = revisionOf({ ...(files ? {} : BEFORE), ...changed });
  const same = new Map(Object.keys(BEFORE).map((path) => [path, path]));
  return differences({ before, after, files: files ?? same, literals });
}

/** The sample with the words of one file replaced. */
function edited(path: string, find: string | RegExp, replace: string): Files {
  const before = BEFORE[path] ?? '';
  const after = before.replace(find, replace);
  assert.notEqual(after, before);
  return { [path]: after };
}

test('new names, comments, a moved file, order of imports and width of lines are no difference', () => {
  const found = compared(
    {
      'delivery/queue.ts': `// A queue of deliveries.
export interface DeliveryQueue { readonly permits: number; readonly taken: number }
export function freePermits(
  queue: DeliveryQueue,
  reserved = 0,
): number {
  const { permits, taken: inUse } = queue;
  return (
    permits - inUse - reserved
  );
}
`,
      'desk.ts': `import { type DeliveryQueue, freePermits } from './delivery/queue.ts';
const queueOf = (permits: number, used: number): DeliveryQueue => ({ permits, taken: used });
console.log('permits', freePermits(queueOf(3, 1)));
`,
    },
    {
      files: new Map([
        ['tray.ts', 'delivery/queue.ts'],
        ['desk.ts', 'desk.ts'],
      ]),
      literals: new Map([['room', 'permits']]),
    },
  );
  assert.deepEqual(found, []);
});

const FAULTS: Readonly<Record<string, Files>> = {
  'operands that change places': edited('tray.ts', 'slots - used', 'used - slots'),
  'members of a pattern that change places': edited(
    'tray.ts',
    '{ slots, used }',
    '{ used, slots }',
  ),
  'members of a literal that change places': edited(
    'desk.ts',
    '({ slots, used })',
    '({ slots: used, used: slots })',
  ),
  'another operator': edited('tray.ts', '- kept', '+ kept'),
  'another literal': edited('desk.ts', "'room'", "'Room'"),
  'another number': edited('desk.ts', '3, 1', '3, 2'),
  'another keyword': edited('tray.ts', 'const {', 'let {'),
  'a default that is gone': edited('tray.ts', 'kept = 0', 'kept: number'),
  'a name that takes the place of another': edited('tray.ts', ', kept = 0', ', used = 0'),
  'an import for its effect': edited('desk.ts', /^/, "import './tray.ts';\nimport './other.ts';\n"),
  'another function of a library': edited('desk.ts', 'console.log', 'console.info'),
};

for (const [name, files] of Object.entries(FAULTS)) {
  test(`${name} is a difference`, () => assert.notDeepEqual(compared(files), []));
}
