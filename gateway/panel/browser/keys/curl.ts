/** Commands for a terminal that work as they stand: pure. */
import type { Access } from '../../../../shared/vocabulary.ts';

/** One argument of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

interface CurlCall {
  readonly url: string;
  readonly headers: readonly string[];
  /** Null: a GET. */
  readonly body: string | null;
}

export function curlOf({ url, headers, body }: CurlCall): string {
  const lines = [
    `curl ${quoted(url)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

const INBOUND_PATH = '/api/webhooks/';
const JSON_TYPE = 'content-type: application/json';

/** A contact that writes through a channel's inbound webhook. */
export function inboundCurl(url: string, token: string): string {
  const contact = { phone: '5511999990000', name: 'Contato de teste', tags: ['teste'] };
  const headers = [`authorization: Bearer ${token}`, JSON_TYPE];
  return curlOf({ url, headers, body: JSON.stringify(contact) });
}

/** A channel's key: one that may not write shows itself instead. */
export function channelKeyCurl(webhookUrl: string, token: string, access: Access): string {
  if (access === 'full') return inboundCurl(webhookUrl, token);
  return keyCurl(webhookUrl.slice(0, webhookUrl.lastIndexOf(INBOUND_PATH)), token);
}

/** A key that shows itself. */
export function keyCurl(apiUrl: string, token: string): string {
  const headers = [`authorization: Bearer ${token}`];
  return curlOf({ url: `${apiUrl}/api/v1/me`, headers, body: null });
}

/** A delivery once more, by hand; only the service can sign it. */
export function deliveryCurl(
  url: string,
  delivery: { readonly id: string; readonly body: string },
) {
  const { id, body } = delivery;
  return curlOf({ url, headers: [JSON_TYPE, `webhook-id: ${id}`], body });
}
