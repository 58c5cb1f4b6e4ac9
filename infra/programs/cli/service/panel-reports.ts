/** What the panel's processes tell of themselves over the bus. */
import * as v from 'valibot';
import { PANELS_TOPIC } from '../../../../shared/panel/operation.ts';
import type { Service } from './service.ts';

/** For the first answer, where nobody knows how many there are. */
const FIRST_MS = 2_000;

const reportSchema = v.object({
  id: v.string(),
  host: v.string(),
  pid: v.number(),
  url: v.string(),
  untrustedProxy: v.optional(v.nullable(v.string()), null),
});
export type Report = v.InferOutput<typeof reportSchema>;

/** Asks every panel, until the returned function is called. */
export function askPanels(
  service: Pick<Service, 'askAll'>,
  onReport: (report: Report) => void,
): () => void {
  return service.askAll(PANELS_TOPIC, (answer) => {
    const read = v.safeParse(reportSchema, answer);
    if (read.success) onReport(read.output);
  });
}

/** Where the first panel that answers is reached; null where none does. */
export async function panelAddress(service: Pick<Service, 'askAll'>): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const timeout = setTimeout(resolve, FIRST_MS, null);
  const stop = askPanels(service, ({ url }) => resolve(url));
  const url = await promise;
  clearTimeout(timeout);
  stop();
  return url;
}
