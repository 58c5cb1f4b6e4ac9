/** Rows that the operator sees of channels, event streams and network settings (C12.7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  listEntries,
  listStreams,
  shownNetwork,
} from '../../../../../actors/domain/organization/output.ts';
import type { ChannelEntry, StreamEntry } from '../../../../../actors/domain/organization.ts';
import { EVENT_STREAM_RETENTION_MS } from '../../../../../shared/limits.ts';
import {
  applied,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../../support/actors/domain/organization-fixture.ts';

const MOMENT = '2026-01-02T03:04:05.000Z';
const context = contextAt(NOW);

function main(more: Partial<ChannelEntry> = {}): ChannelEntry {
  return { ...named(applied(LOJA).channels, 'main'), ...more };
}

describe('network settings as they are shown', () => {
  const shown = (value: string) => shownNetwork(main({ network: { session: 's', value } }));

  it('have each plain value', () => {
    const plain = [
      ...['1001', 'v25.0', 'sandbox', '', 'ana@example.com', '@', 'https://'],
      ...['https://bridge.example:3000/api', 'https://bridge.example/@loja?to=a@b'],
    ];
    for (const value of plain) assert.deepEqual(shown(value), { session: 's', value }, value);
  });

  it('omit an address with a user or a password', () => {
    const secret = [
      'https://ana:pass@bridge.example/api',
      'https://ana@bridge.example',
      'https://:pass@bridge.example',
      'https://mutated:mutated@bridge.example',
    ];
    for (const value of secret) assert.deepEqual(shown(value), { session: 's' }, value);
  });
});

describe('the row of a channel', () => {
  const rows = (channel: ChannelEntry) =>
    listEntries({ ...applied(LOJA), channels: [channel] }, 'channels', context);

  it('has its settings, readiness and webhooks, and no secret', () => {
    const channel = main({ networkReady: false, networkReason: 'A sessão está parada.' });
    const { id, pace } = channel;
    assert.deepEqual(rows(channel), [
      {
        ...{ id, ref: 'main', label: 'Atendimento', provider: 'cloud', phone: '551140001000' },
        ...{ enabled: true, ready: false, reason: 'A sessão está parada.' },
        network: { baseUrl: 'sandbox', phoneNumberId: '1001' },
        inboundWebhookUrl: `http://127.0.0.1:8080/api/webhooks/channel/${id}`,
        networkWebhookUrl: `http://127.0.0.1:8080/networks/cloud/${id}`,
        ...{ pace, createdAt: MOMENT },
      },
    ]);
    assert.deepEqual(rows(main({ removed: true })), []);
  });

  it('tells a restriction of the number while it holds', () => {
    const told = (until: number | null, holdsUntil: number) => {
      const [row] = rows(main({ restriction: { until, holdsUntil } }));
      return row && 'restriction' in row ? row.restriction : null;
    };
    const message =
      'A rede não deixa este número iniciar conversas por enquanto: mensagens a quem nunca ' +
      'escreveu esperam na fila, as outras seguem.';
    const until = new Date(NOW + 1).toISOString();
    assert.deepEqual(told(NOW + 1, NOW + 1), { until, message });
    assert.deepEqual(told(null, NOW + 1), { until: null, message });
    assert.equal(told(null, NOW), null);
  });
});

describe('the rows of event streams', () => {
  const state = applied(LOJA);
  const erp = named(state.keys, 'erp');
  const shop = named(state.keys, 'shop-key');
  const stream = (id: string, keyId: string, more: Partial<StreamEntry> = {}): StreamEntry => ({
    ...{ id, keyId, name: `name of ${id}`, events: ['*'], connection: 1, opened: [] },
    ...{ createdAt: NOW, seenAt: NOW + 1_000, ...more },
  });
  const row = (id: string, keyId: string, keyName: string) => ({
    ...{ id, name: `name of ${id}`, keyId, keyName, events: ['*'] },
    ...{ createdAt: MOMENT, seenAt: '2026-01-02T03:04:06.000Z' },
  });

  it('name the key of each', () => {
    const streams = [stream('str_1', shop.id), stream('str_2', erp.id)];
    assert.deepEqual(listStreams({ ...state, streams }, NOW + 2_000), [
      row('str_1', shop.id, 'Vendas'),
      row('str_2', erp.id, 'ERP'),
    ]);
  });

  it('are none of streams that have ended, or whose key was revoked', () => {
    const keys = [{ ...erp, revokedAt: NOW }, shop];
    const ended = stream('str_3', shop.id, { seenAt: NOW - EVENT_STREAM_RETENTION_MS });
    const streams = [stream('str_1', erp.id), stream('str_2', shop.id), ended];
    const rows = listStreams({ ...state, keys, streams }, NOW);
    assert.deepEqual(rows, [row('str_2', shop.id, 'Vendas')]);
    assert.deepEqual(listStreams(state, NOW), []);
  });
});
