/**
 * `… list`: every list accepts `--limit` and prints a table, or with `--json`
 * `{"data":[{"id","ref",…}]}`. The `ref` is null where no provisioning file names the entity.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Service } from '../service/service.ts';
import { type Fit, type Row, renderTable } from './print.ts';
import type { Printing } from './printing.ts';

export interface OfList {
  /** A ref or an id; may be left out where there is one organization. */
  readonly org?: string;
  readonly limit?: number;
}

export interface Listed {
  readonly data: readonly Row[];
  /** Of a list that was not read whole. */
  readonly total?: number;
}

export interface List<Asked extends OfList> {
  readonly description: string;
  /** Beside `--org` and `--limit`. */
  readonly options?: readonly Option[];
  /** Of an installation, not of an organization. */
  readonly ofAll?: true;
  readonly read: (service: Service, asked: Asked) => Promise<Listed>;
  /** A row of the table; the columns are its properties. */
  readonly row: (row: Row) => Row;
  readonly fit?: Fit;
}

/** @throws {InvalidArgumentError} */
function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit;
  throw new InvalidArgumentError('Give a whole number from 1.');
}

export const ORG = [
  '--org <org>',
  'ref or id of the organization, where there are several',
] as const;

export function limitOption(what: string): Option {
  return new Option('--limit <n>', what).argParser(parseLimit);
}

/** With its `id` and `ref` first. */
function withRef({ id, ref = null, ...rest }: Row): Row {
  return { id, ref, ...rest };
}

function tableOf<Asked extends OfList>(list: List<Asked>, { data, total }: Listed): string {
  const table = renderTable(data.map(list.row), list.fit);
  const more = total !== undefined && total > data.length;
  return more ? `${table}${data.length} of ${total}; --limit shows more.\n` : table;
}

export function addList<Asked extends OfList>(
  parent: Command,
  { show }: Printing,
  list: List<Asked>,
): void {
  const command = parent.command('list').description(list.description);
  if (list.ofAll !== true) command.option(...ORG);
  for (const option of list.options ?? []) command.addOption(option);
  command.addOption(limitOption('how many rows at most'));
  command.action((asked: Asked) => {
    let total: number | undefined;
    return show(
      async (service) => {
        const listed = await list.read(service, asked);
        total = listed.total ?? listed.data.length;
        return { data: listed.data.slice(0, asked.limit).map(withRef) };
      },
      { text: ({ data }) => tableOf(list, { data, ...(total === undefined ? {} : { total }) }) },
    );
  });
}
