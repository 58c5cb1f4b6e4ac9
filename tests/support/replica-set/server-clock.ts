/** A server whose clock is off: `$$NOW` as the engine evaluates it, so much later or earlier. */
import { commandIn, withCommand } from '../mongo-wire.ts';
import { TIMED } from './codes.ts';

const NOW = '$$NOW';

/** Documents that are inserted are nobody's expressions: a text `$$NOW` in them stays. */
export function byClock(message: Buffer, aheadMs: number): Buffer {
  const command = aheadMs === 0 ? null : commandIn(message);
  if (!command || !TIMED.has(command.name) || !command.document.includes(NOW)) return message;
  return withCommand(message, (body) => {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, shifted(value, aheadMs)]),
    );
  });
}

function shifted(value: unknown, aheadMs: number): unknown {
  if (value === NOW) return { $add: [NOW, aheadMs] };
  if (Array.isArray(value)) return value.map((each) => shifted(each, aheadMs));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, shifted(each, aheadMs)]),
  );
}

/** Numbers, dates and bytes are objects of their own kinds. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !('_bsontype' in value);
}
