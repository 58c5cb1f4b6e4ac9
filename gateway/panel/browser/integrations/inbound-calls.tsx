/** The last calls of a channel's inbound webhook: what a form has posted, and why it failed. */

import { useEffect, useState } from 'preact/hooks';
import { query } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert, Select, Table } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import type { PanelChannel } from '../channels/api.ts';
import { every } from '../clock.ts';
import { fullTimeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import type { InboundCall, InboundCallList } from './api.ts';

const { integrations } = TEXT;
/** Gateways tell their calls a second late, and no hint says so. */
const READ_EVERY_MS = 5_000;

export function InboundCalls({ channels }: { readonly channels: readonly PanelChannel[] }) {
  const [chosen, setChosen] = useState('');
  const channelId = chosen === '' ? channels[0]?.id : chosen;
  const path = channelId === undefined ? null : `/panel/api/inbound-calls${query({ channelId })}`;
  const read = useRead<InboundCallList>(path, { kinds: ['contact', 'channel'] });
  useEffect(() => every(READ_EVERY_MS, read.again), [read.again]);
  const rows = read.body?.data ?? [];
  return (
    <section class="block">
      <header class="row">
        <h2 class="grow">{integrations.calls}</h2>
        <Select
          quiet
          label={integrations.channel}
          value={channelId ?? ''}
          onValue={setChosen}
          options={channels.map(({ id, label }) => [id, label] as const)}
        />
        <button type="button" class="button" onClick={read.again}>
          {TEXT.channels.refresh}
        </button>
      </header>
      {read.body ? (
        <p class="soft small">{integrations.callsSince(fullTimeOf(read.body.since))}</p>
      ) : null}
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{integrations.noCalls}</p> : null}
      {rows.length === 0 ? null : <CallTable rows={rows} />}
    </section>
  );
}

function CallTable({ rows }: { readonly rows: readonly InboundCall[] }) {
  return (
    <Table label={integrations.calls} columns={Object.values(integrations.columns)}>
      {rows.map((row) => (
        <tr key={row.requestId}>
          <td>
            <time dateTime={row.at}>{fullTimeOf(row.at)}</time>
          </td>
          <td class={row.status < 300 ? '' : 'state-bad'}>{row.status}</td>
          <td>{row.phone}</td>
          <td class="soft">{row.given.map(isolated).join(', ')}</td>
          <td>{problemOf(row)}</td>
        </tr>
      ))}
    </Table>
  );
}

function problemOf({ error, issues }: InboundCall): string {
  const named = issues.map(({ path, message }) => `${isolated(path)}: ${message}`);
  return [...(error === null ? [] : [error]), ...named].join(' ');
}
