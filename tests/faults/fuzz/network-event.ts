/** Results that a driver's parser may return: the port's own types, checked as values. */
import * as v from 'valibot';
import { ORDER_ITEMS_MAX } from '../../../shared/limits.ts';
import { MESSAGE_KINDS } from '../../../shared/vocabulary.ts';

const LAST_DATE_MS = 8.64e15;

const some = v.pipe(v.string(), v.minLength(1));
const at = v.pipe(v.number(), v.minValue(0), v.maxValue(LAST_DATE_MS));
const media = v.strictObject({
  networkMediaId: some,
  mimeType: some,
  url: v.optional(some),
  fileName: v.optional(some),
  sizeBytes: v.optional(v.number()),
});
const digits = v.pipe(v.string(), v.regex(/^\d*$/));
const person = {
  phone: digits,
  networkId: some,
  aliases: v.optional(v.pipe(v.array(some), v.minLength(1))),
};
const restriction = v.strictObject({
  until: v.nullable(at),
  cause: v.optional(v.literal('payment')),
});
const message = {
  externalId: some,
  fullId: v.optional(some),
  ...person,
  kind: v.picklist(MESSAGE_KINDS),
  text: v.nullable(v.string()),
  media: v.optional(media),
  at,
};
const change = { externalId: some, fullId: v.optional(some), ...person, fromMe: v.boolean(), at };

const answer = v.strictObject({
  type: v.picklist(['button', 'row']),
  id: some,
  title: some,
  description: v.optional(some),
});
const degrees = (max: number) => v.pipe(v.number(), v.minValue(-max), v.maxValue(max));
const location = v.strictObject({
  latitude: degrees(90),
  longitude: degrees(180),
  name: v.optional(some),
  address: v.optional(some),
});
const card = v.strictObject({
  name: v.string(),
  phones: v.array(some),
  email: v.optional(some),
  organization: v.optional(some),
});

/** Content of a contact's message, or of a person's on the connected phone. */
const said = {
  ...message,
  replyToExternalId: v.optional(some),
  location: v.optional(location),
  contacts: v.optional(v.pipe(v.array(card), v.minLength(1))),
  error: v.optional(v.strictObject({ code: some, message: some })),
};

const cleaned = v.pipe(some, v.regex(/^[^\p{Cc}]+$/u));
const fieldOr = v.nullable(cleaned);
const ad = v.strictObject({
  ...{ sourceId: fieldOr, sourceType: fieldOr, clickId: fieldOr, headline: fieldOr },
  sourceUrl: v.nullable(v.pipe(cleaned, v.regex(/^https?:/i))),
  body: v.nullable(some),
});
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const item = v.strictObject({
  retailerId: cleaned,
  quantity: count,
  priceCents: v.nullable(count),
  currency: v.nullable(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/))),
});
const order = v.strictObject({
  catalogId: fieldOr,
  text: v.nullable(some),
  items: v.pipe(v.array(item), v.maxLength(ORDER_ITEMS_MAX)),
});
const product = v.strictObject({ catalogId: fieldOr, retailerId: cleaned });

export const NetworkEventSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('message'),
    ...said,
    profileName: v.optional(some),
    referral: v.optional(some),
    answer: v.optional(answer),
    ...{ ad: v.optional(ad), product: v.optional(product), order: v.optional(order) },
  }),
  v.strictObject({
    type: v.literal('call'),
    ...person,
    callId: some,
    profileName: v.optional(some),
    at,
  }),
  v.strictObject({
    type: v.literal('welcome'),
    ...person,
    welcomeId: some,
    profileName: v.optional(some),
    ad: v.optional(ad),
    at,
  }),
  v.strictObject({ type: v.literal('templates-changed') }),
  v.strictObject({ type: v.literal('echo'), ...said }),
  v.strictObject({ type: v.literal('edit'), ...change, text: v.nullable(v.string()) }),
  v.strictObject({ type: v.literal('deletion'), ...change }),
  v.strictObject({ type: v.literal('identity'), ...person }),
  v.strictObject({
    type: v.literal('number-change'),
    from: v.strictObject(person),
    to: v.strictObject(person),
    at,
  }),
  v.strictObject({
    type: v.literal('receipt'),
    externalId: some,
    fullId: v.optional(some),
    messageId: v.optional(some),
    status: v.picklist(['sent', 'delivered', 'read', 'failed']),
    phone: v.optional(digits),
    networkId: v.optional(some),
    error: v.optional(v.strictObject({ code: some, message: some })),
    at,
  }),
  v.strictObject({
    type: v.literal('readiness'),
    readiness: v.union([
      v.strictObject({
        ready: v.literal(true),
        restriction: v.optional(v.nullable(restriction)),
        unpaid: v.optional(v.boolean()),
        unconfirmed: v.optional(v.literal(true)),
      }),
      v.strictObject({
        ready: v.literal(false),
        reason: some,
        holdMs: v.optional(v.pipe(v.number(), v.minValue(1))),
        otherNumber: v.optional(v.literal(true)),
      }),
    ]),
  }),
  v.strictObject({ type: v.literal('restriction'), restriction: v.nullable(restriction) }),
]);
