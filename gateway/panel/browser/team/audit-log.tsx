/** The audit log: who changed what, when, and from which address. */

import { useState } from 'preact/hooks';
import type { AuditRow } from '../../../../shared/wire/audit.ts';
import { query } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert, Table } from '../base/parts.tsx';
import { useReadBy } from '../base/use-read.ts';
import { type Page, readPages } from '../conversations/api.ts';
import { fullTimeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';

const LIMIT = 50;
const { team } = TEXT;

export function AuditLog() {
  const [pages, setPages] = useState(1);
  const read = useReadBy<Page<AuditRow>>(`${pages}`, { kinds: ['organization'] }, () =>
    readPages<AuditRow>((page) => `/panel/api/audit${query({ page, limit: LIMIT })}`, pages),
  );
  const rows = read.body?.data ?? [];
  return (
    <section class="block">
      <h2>{team.audit}</h2>
      <p class="soft small">{team.auditLead}</p>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{team.noAudit}</p> : null}
      {rows.length === 0 ? null : <AuditTable rows={rows} />}
      {read.body && rows.length < read.body.total ? (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {TEXT.more}
        </button>
      ) : null}
    </section>
  );
}

function AuditTable({ rows }: { readonly rows: readonly AuditRow[] }) {
  return (
    <Table label={team.audit} columns={Object.values(team.columns)}>
      {rows.map((row) => (
        <tr key={row.id}>
          <td>
            <time dateTime={row.at}>{fullTimeOf(row.at)}</time>
          </td>
          <td>{row.name === '' ? team.operatorName : row.name}</td>
          <td>{team.operations[row.operation] ?? row.operation}</td>
          <td class="soft">{detailsOf(row)}</td>
          <td class="soft">{row.address}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The changed entity, and the values that the change set. */
function detailsOf({ subject, details }: AuditRow): string {
  const values = Object.entries(details).map(([name, value]) => `${name}: ${isolated(value)}`);
  return [subject.id, ...values].join(' · ');
}
