/** `recado doctor --recount`: the service counts everything again, and names what it corrected. */
import * as v from 'valibot';
import { render } from '../output/print.ts';
import { readAnswer } from '../service/answer.ts';
import type { Service } from '../service/service.ts';

const rowsSchema = v.array(
  v.object({
    organization: v.string(),
    collection: v.string(),
    /** Null: there was no counter, or the collection changes too fast. */
    before: v.nullable(v.number()),
    counted: v.nullable(v.number()),
    corrected: v.nullable(v.boolean()),
  }),
);
type Recounted = v.InferOutput<typeof rowsSchema>;

export async function recountEverything(service: Service): Promise<Recounted> {
  return readAnswer(rowsSchema, await service.query('recount', {}));
}

export function renderRecounted(rows: Recounted): string {
  const data = rows.map(({ corrected, ...row }) => ({ ...row, result: resultOf(corrected) }));
  const found = rows.filter(({ corrected }) => corrected).length;
  const sum =
    found === 0 ? 'Every counter was right.' : `${found} of ${rows.length} were corrected.`;
  return `${render({ data })}${sum}\n`;
}

function resultOf(corrected: boolean | null): string {
  if (corrected === null) return 'changes too fast, ask again';
  return corrected ? 'corrected' : 'right';
}
