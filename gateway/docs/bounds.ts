/** Two sections of tables: the limits that a caller meets, and the errors with their remedies. */
import {
  BODY_MAX_BYTES,
  CALLS_PER_KEY,
  CALLS_PER_ORGANIZATION,
  CAPTION_MAX_CHARS,
  CONTACT_FIELD_VALUE_MAX_CHARS,
  CONTACT_FIELDS_MAX,
  CONTACT_NAME_MAX_CHARS,
  DEAL_TITLE_MAX_CHARS,
  DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION,
  DELIVERIES_RETENTION_MS,
  DELIVERY_RETRIES,
  DELIVERY_TIMEOUT_MS,
  IDEMPOTENCY_KEY_MAX_CHARS,
  IDEMPOTENCY_RETENTION_MS,
  MEDIA_DOCUMENT_MAX_BYTES,
  MEDIA_MAX_BYTES,
  MESSAGE_TEXT_MAX_CHARS,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  QUEUED_MESSAGE_MAX_AGE_MS,
  RATE_WINDOW_MS,
  TAG_MAX_CHARS,
  TAGS_MAX_PER_REQUEST,
  TASK_NOTES_MAX_CHARS,
  TASK_TITLE_MAX_CHARS,
} from '../../shared/limits.ts';
import { type ApiDocument, mediaOf } from './api-document.ts';
import { escaped, prose, type Row, table } from './html.ts';
import { renderJson } from './tabs.ts';

export const LIMITS = { anchor: 'limites', title: 'Limites' };
export const ERRORS = { anchor: 'erros', title: 'Erros' };

function count(value: number): string {
  return value.toLocaleString('pt-BR');
}

const mebibytes = (bytes: number) => `${count(bytes / (1024 * 1024))} MiB`;
const hours = (ms: number) => `${count(ms / 3_600_000)} horas`;
const days = (ms: number) => `${count(ms / 86_400_000)} dias`;
const seconds = (ms: number) => `${count(ms / 1000)} segundos`;

const LIMIT_ROWS: readonly Row[] = [
  [
    'Chamadas',
    `${count(CALLS_PER_KEY)} de uma chave e ${count(CALLS_PER_ORGANIZATION)} de uma organização ` +
      `em ${seconds(RATE_WINDOW_MS)}, salvo outra regra de quem opera; além disso, 429`,
  ],
  ['Corpo de uma chamada', `${mebibytes(BODY_MAX_BYTES)}; além disso, 413`],
  ['Página', `${count(PAGE_LIMIT_MAX)} itens, ${count(PAGE_LIMIT_DEFAULT)} sem \`limit\``],
  [
    '`Idempotency-Key`',
    `${count(IDEMPOTENCY_KEY_MAX_CHARS)} caracteres, lembrada por ${hours(IDEMPOTENCY_RETENTION_MS)}`,
  ],
  [
    'Mensagem',
    `texto de ${count(MESSAGE_TEXT_MAX_CHARS)} caracteres, legenda de ` +
      `${count(CAPTION_MAX_CHARS)}; espera na fila por ${hours(QUEUED_MESSAGE_MAX_AGE_MS)}`,
  ],
  [
    'Arquivo',
    `${mebibytes(MEDIA_MAX_BYTES)}; um documento, ${mebibytes(MEDIA_DOCUMENT_MAX_BYTES)}`,
  ],
  [
    'Contato',
    `nome de ${count(CONTACT_NAME_MAX_CHARS)} caracteres, ${count(CONTACT_FIELDS_MAX)} campos de ` +
      `${count(CONTACT_FIELD_VALUE_MAX_CHARS)}`,
  ],
  [
    'Etiquetas',
    `${count(TAGS_MAX_PER_REQUEST)} por chamada, de ${count(TAG_MAX_CHARS)} caracteres`,
  ],
  ['Negócio', `título de ${count(DEAL_TITLE_MAX_CHARS)} caracteres`],
  [
    'Tarefa',
    `título de ${count(TASK_TITLE_MAX_CHARS)} caracteres, anotações de ` +
      `${count(TASK_NOTES_MAX_CHARS)}`,
  ],
  [
    'Evento',
    `${seconds(DELIVERY_TIMEOUT_MS)} para responder, ${count(DELIVERY_RETRIES)} repetições, ` +
      `${count(DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION)} entregas ao mesmo tempo a uma assinatura; ` +
      `lembrado por ${days(DELIVERIES_RETENTION_MS)}`,
  ],
];

export function renderLimits(): string {
  const rows = LIMIT_ROWS.map((row) => row.map(prose));
  return (
    `<section class="resource" aria-labelledby="${LIMITS.anchor}">` +
    `<h2 id="${LIMITS.anchor}">${LIMITS.title}</h2>` +
    '<p class="lead">O que não cabe é recusado inteiro, e a resposta diz onde.</p>' +
    `${table({ label: LIMITS.title, titles: ['Assunto', 'Limite'] }, rows)}</section>`
  );
}

/** By status. */
const REMEDIES: Readonly<Record<string, string>> = {
  400: 'Corrija o corpo; repetir não adianta.',
  401: 'Troque a chave. Uma chave revogada é recusada na hora.',
  403: 'Use a chave do canal certo, ou uma chave de conta.',
  404: 'Confira o id: ele é de outra organização, ou não existe.',
  409: 'Leia `error`. Com `Retry-After`, repita depois; sem ele, mude a situação antes.',
  413: 'Divida o corpo.',
  422: 'Corrija os campos de `issues`; repetir não adianta.',
  429: 'Espere os segundos de `Retry-After` e repita com a mesma `Idempotency-Key`.',
  431: 'Envie menos cabeçalhos.',
  500: 'Repita com espera crescente e a mesma `Idempotency-Key`.',
};

export function renderErrors({ components }: ApiDocument): string {
  const responses = Object.entries(components?.responses ?? {});
  const rows = responses.map(
    ([status, { description = '' }]): Row => [
      `<code>${escaped(status)}</code>`,
      prose(description),
      prose(REMEDIES[status] ?? ''),
    ],
  );
  const titles = ['Estado', 'Quando', 'O que fazer'];
  const example = mediaOf(components?.responses?.['422']?.content)?.example;
  return (
    `<section class="resource" aria-labelledby="${ERRORS.anchor}">` +
    `<h2 id="${ERRORS.anchor}">${ERRORS.title}</h2><div class="operation"><div class="told">` +
    '<p class="lead">Todo erro é JSON, com uma frase em português em <code>error</code>. O estado ' +
    'diz o que fazer; a frase é para pessoas e registros.</p>' +
    `${table({ label: ERRORS.title, titles, kind: 'statuses' }, rows)}</div>` +
    `<div class="shown">${renderJson('Resposta <code>422</code>', example)}</div></div></section>`
  );
}
