/** The network's side: the simulator's control, and webhooks that a test signs by itself. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import * as v from 'valibot';

const SentSchema = v.object({
  data: v.array(
    v.object({
      to: v.string(),
      text: v.nullable(v.string()),
      kind: v.string(),
      externalId: v.string(),
      channel: v.string(),
      at: v.string(),
    }),
  ),
});
export type NetworkMessage = v.InferOutput<typeof SentSchema>['data'][number];

const ShownSchema = v.object({
  data: v.array(
    v.object({
      to: v.string(),
      kind: v.picklist(['read', 'typing', 'paused']),
      messageId: v.optional(v.string()),
      channel: v.string(),
      at: v.string(),
    }),
  ),
});
type ShownMark = v.InferOutput<typeof ShownSchema>['data'][number];

export interface InboundCall {
  readonly channelId: string;
  readonly from: string;
  readonly call: { readonly event: 'connect' | 'terminate'; readonly id?: string };
}

export interface InboundFile {
  readonly mimeType: string;
  readonly fileName: string;
  /** Base64. */
  readonly data: string;
}

export interface InboundOptions {
  readonly channelId: string;
  readonly from: string;
  readonly text?: string;
  /** A button or row of a message that the network accepted: pressed, by its id. */
  readonly reply?: { readonly to: string; readonly id: string };
  readonly media?: InboundFile;
  readonly id?: string;
  readonly name?: string;
  readonly echo?: boolean;
  /** When it was written, epoch milliseconds. */
  readonly at?: number;
}

export interface Network {
  /** A call of the simulator's control, as `POST /templates`. */
  control(call: string, body?: unknown): Promise<unknown>;
  /** Messages that the network accepted, in order; all of them or those to one contact. */
  sent(to?: string): Promise<NetworkMessage[]>;
  /** A contact writes; resolves with the network's id once the service has taken it. */
  inbound(options: InboundOptions): Promise<string>;
  /** A contact calls. */
  call(call: InboundCall): Promise<void>;
  /** Read marks and typing that a contact sees, in order. */
  shown(to: string): Promise<ShownMark[]>;
  fault(fault: Readonly<Record<string, unknown>>): Promise<void>;
  /** Forgets sends and faults. */
  forget(): Promise<void>;
}

export function networkOf(sandboxUrl: string): Network {
  const control: Network['control'] = async (call, body) => {
    const [method = '', path = ''] = call.split(' ');
    const response = await fetch(`${sandboxUrl}/control${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${call} ${JSON.stringify(body)}: ${text}`);
    return JSON.parse(text);
  };
  return {
    control,
    sent: async (to) => {
      const path = to === undefined ? '/sent' : `/sent?to=${to}`;
      return v.parse(SentSchema, await control(`GET ${path}`)).data;
    },
    inbound: async (options) => {
      const answer = await control('POST /inbound', options);
      return v.parse(v.object({ id: v.string() }), answer).id;
    },
    call: async (call) => {
      await control('POST /inbound', call);
    },
    shown: async (to) => v.parse(ShownSchema, await control(`GET /typing?to=${to}`)).data,
    fault: async (fault) => {
      await control('POST /faults', fault);
    },
    forget: async () => {
      await control('DELETE');
    },
  };
}

export interface CloudPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A webhook as Meta posts it, signed with the app's secret. */
export function cloudPost(
  appSecret: string,
  phoneNumberId: string,
  value: Readonly<Record<string, unknown>>,
  field = 'messages',
): CloudPost {
  const metadata = { display_phone_number: phoneNumberId, phone_number_id: phoneNumberId };
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: 'waba',
        changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }],
      },
    ],
  });
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  return { body, headers: { 'x-hub-signature-256': `sha256=${signature}` } };
}

/** One entry of `messages`: a text that a contact wrote just now. */
export function cloudText(from: string, id: string, text: string): Record<string, unknown> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return { from, id, timestamp, type: 'text', text: { body: text } };
}

/** One entry of `statuses`. */
export function cloudStatus(
  externalId: string,
  status: string,
  about: { readonly to: string; readonly messageId?: string },
): Record<string, unknown> {
  return {
    id: externalId,
    status,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: about.to,
    ...(about.messageId === undefined ? {} : { biz_opaque_callback_data: about.messageId }),
  };
}
