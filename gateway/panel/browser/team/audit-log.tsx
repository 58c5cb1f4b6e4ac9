/** The audit log: who changed what, when, and from which address. */

import { useState } from 'preact/hooks';
import type { AuditPage, AuditRow } from '../../../../shared/wire/audit.ts';
import { call, type Outcome, query } from '../base/call.ts';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Alert, Link, Table } from '../base/parts.tsx';
import { useReadBy } from '../base/use-read.ts';
import { fullTimeOf, sizeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';
import { useChangedNames } from './changed-names.ts';

const LIMIT = 50;
/** In place of an address. */
const COMMAND_LINE = 'command line';
const { team } = TEXT;

export function AuditLog() {
  const [pages, setPages] = useState(1);
  const read = useReadBy<AuditPage>(`${pages}`, { kinds: ['organization'] }, () => readLog(pages));
  const rows = read.body?.data ?? [];
  return (
    <section class="block">
      <h2>{team.audit}</h2>
      <p class="soft small">{team.auditLead}</p>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{team.noAudit}</p> : null}
      {rows.length === 0 ? null : <AuditTable rows={rows} />}
      {read.body?.more ? (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {TEXT.more}
        </button>
      ) : null}
    </section>
  );
}

/** Pages from the first on, as one list: an entry that a newer one moved appears once. */
async function readLog(count: number): Promise<Outcome<AuditPage>> {
  const rows = new Map<string, AuditRow>();
  let more = true;
  for (let page = 1; more && page <= count; page++) {
    const path = `/panel/api/audit${query({ page, limit: LIMIT })}`;
    const outcome = await call<AuditPage>('GET', path);
    if (!outcome.ok) return outcome;
    for (const row of outcome.body.data) rows.set(row.id, row);
    more = outcome.body.more;
  }
  return { ok: true, body: { page: 1, limit: LIMIT, data: [...rows.values()], more } };
}

function AuditTable({ rows }: { readonly rows: readonly AuditRow[] }) {
  const names = useChangedNames(rows);
  return (
    <Table label={team.audit} columns={Object.values(team.columns)}>
      {rows.map((row) => (
        <tr key={row.id}>
          <td>
            <time dateTime={row.at}>{fullTimeOf(row.at)}</time>
          </td>
          <td>{authorOf(row)}</td>
          <td>{team.operations[row.operation] ?? row.operation}</td>
          <td>
            <Subject row={row} name={nameIn(row, names, rows)} />
            <span class="soft">{detailsOf(row)}</span>
          </td>
          <td class="soft">{row.address === COMMAND_LINE ? team.commandLine : row.address}</td>
        </tr>
      ))}
    </Table>
  );
}

function authorOf({ name, origin }: AuditRow): string {
  if (origin === 'assistant') return team.assistantName(isolated(name));
  return name === '' ? team.operatorName : name;
}

/**
 * A session is named by who has begun it, and nothing else of it says anything; an uploaded file has
 * no page, and its type and size stand beside. What ends a person's sessions is their own act.
 */
function nameIn(
  { subject, name }: AuditRow,
  names: ReadonlyMap<string, string>,
  rows: readonly AuditRow[],
): string | null {
  if (subject.kind === 'organization') return session.value?.organization?.name ?? null;
  if (subject.kind === 'media') return '';
  if (subject.kind === 'person') return name;
  if (subject.kind !== 'session') return names.get(subject.id) || null;
  const begun = rows.find((row) => row.operation === 'signIn' && row.subject.id === subject.id);
  return begun?.name ?? '';
}

/** Pages of one entity, by its kind. */
const PAGES: Readonly<Record<string, string>> = {
  conversation: '/conversas',
  contact: '/contatos',
  flow: '/fluxos',
};

interface SubjectProps {
  readonly row: AuditRow;
  /** Null: unknown. */
  readonly name: string | null;
}

/** The changed entity by its name; by its id where nobody knows a name. */
function Subject({ row: { subject, details }, name }: SubjectProps) {
  const shown = name ?? details.name ?? details.title ?? subject.id;
  const page = PAGES[subject.kind];
  const text = <Isolated text={shown} />;
  return (
    <p class="anywhere">
      {page === undefined ? text : <Link to={`${page}/${subject.id}`}>{text}</Link>}
    </p>
  );
}

/** Values that the change set, besides the name, in the order of their words. */
function detailsOf({ details }: AuditRow): string {
  const values: Readonly<Record<string, string | undefined>> = details;
  return Object.entries(team.details)
    .flatMap(([name, word]) => {
      const value = values[name];
      return value === undefined ? [] : [`${word}: ${shownValue(name, value)}`];
    })
    .join(' · ');
}

function shownValue(name: string, value: string): string {
  if (name === 'sizeBytes') return sizeOf(Number(value));
  if (name === 'expiresAt') return fullTimeOf(value);
  return team.values[value] ?? isolated(value);
}
