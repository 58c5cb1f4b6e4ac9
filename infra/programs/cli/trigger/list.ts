/** `recado trigger --list`: the table, with examples that run as they stand. */
import type { Service } from '../service/service.ts';
import { type Text, TRIGGERS } from './table.ts';
import { type Example, findExample, type TargetOptions } from './target.ts';

interface Listed {
  readonly event: string;
  readonly does: string;
  readonly example: string;
}

/** Where there is no channel of the simulator. */
const PLACEHOLDERS: Example = { org: 'ORG', channel: 'CHANNEL' };

export async function listTriggers(service: Service, options: TargetOptions) {
  const example = (await findExample(service, options)) ?? PLACEHOLDERS;
  const data: readonly Listed[] = Object.entries(TRIGGERS).map(([event, { does, text }]) => {
    return { event, does, example: commandOf(event, text, example) };
  });
  return { data };
}

function commandOf(event: string, text: Text | null, { org, channel }: Example): string {
  const command = `npm run -s recado -- trigger ${event} --org ${org} --channel ${channel}`;
  return text === null ? command : `${command} --text "${text.usual}"`;
}

/** Examples are too wide for a table, and must stay whole to be pasted. */
export function renderTriggers({ data }: { readonly data: readonly Listed[] }): string {
  return data.map(({ event, does, example }) => `${event}: ${does}\n  ${example}\n`).join('');
}
