/** Input of `POST /control/inbound`: a contact's message, injected by hand. */
import * as v from 'valibot';

export const MEDIA_KINDS = ['image', 'audio', 'video', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const TIMES_MAX = 20;

const MediaSchema = v.object({
  kind: v.optional(v.picklist(MEDIA_KINDS)),
  mimeType: v.optional(v.string(), 'image/png'),
  fileName: v.optional(v.string()),
  /** Shown when the message has no text. */
  caption: v.optional(v.string()),
  /** The bytes, base64; or `url`, where they already are. */
  data: v.optional(v.string()),
  url: v.optional(v.string()),
  /** An audio that was spoken into the phone. */
  voice: v.optional(v.boolean()),
  /** `web`: the bridge did not get it; `media` is null, or has an error and no address. */
  notDownloaded: v.optional(v.picklist(['null', 'error'])),
  /** `cloud`: Meta could not take it, and gives this code in its place. */
  errorCode: v.optional(v.number()),
  /** `web`: asking for it again does not help. */
  gone: v.optional(v.boolean()),
});

const anyRecord = v.record(v.string(), v.unknown());

/** Contents that are neither text nor media. */
const ContentSchema = v.object({
  place: v.optional(
    v.object({
      latitude: v.number(),
      longitude: v.number(),
      name: v.optional(v.string()),
      address: v.optional(v.string()),
    }),
  ),
  cards: v.optional(v.array(v.object({ name: v.string(), phone: v.string() }))),
  reaction: v.optional(v.object({ to: v.string(), emoji: v.string() })),
  /** The id of the message that this one changes: `text` is its new text. */
  edits: v.optional(v.string()),
  /** The id of the message that this one deletes. */
  deletes: v.optional(v.string()),
  /** `order` of a `cloud` message, whole. `web` tells its `text` alone. */
  order: v.optional(anyRecord),
  /** `cloud`: the answers to a form. */
  form: v.optional(anyRecord),
  /** `cloud`: a template's button that was pressed. */
  button: v.optional(v.object({ text: v.string(), payload: v.string() })),
  /** `cloud`: a button or a row of a list that was chosen. */
  choice: v.optional(
    v.object({
      id: v.string(),
      title: v.string(),
      description: v.optional(v.string()),
      /** A row of a list; one with a description is a row in any case. */
      row: v.optional(v.boolean()),
    }),
  ),
  /** `cloud`: a button or row of a message that they got, by its id (or payload) or its title. */
  reply: v.optional(
    v.object({ to: v.string(), id: v.optional(v.string()), title: v.optional(v.string()) }),
  ),
  /** `cloud`: a call of the contact; `terminate` ends the one of that id. */
  call: v.optional(
    v.object({
      event: v.optional(v.picklist(['connect', 'terminate']), 'connect'),
      id: v.optional(v.string()),
    }),
  ),
  /** `cloud`: `system` of a message, whole. */
  system: v.optional(anyRecord),
  /** `cloud`: the answer to a wish to call. */
  callPermission: v.optional(
    v.object({
      response: v.picklist(['accept', 'reject']),
      permanent: v.optional(v.boolean(), false),
    }),
  ),
  /** `cloud`: the contact opens the chat for the first time, and writes nothing. */
  welcome: v.optional(v.boolean()),
  /** `cloud`: a message that the API does not contain. `web`: one to be seen on the phone alone. */
  unsupported: v.optional(v.boolean()),
  /**
   * `web`: what the engine tells of itself as a message: the `type` on WEBJS, else the name of the
   * content, as `protocolMessage`, or `messageStubType`.
   */
  bookkeeping: v.optional(v.pipe(v.string(), v.minLength(1))),
});

const RepetitionSchema = v.object({
  /** Number of reports by the network; each is complete. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(TIMES_MAX)), 1),
  /** `web`: reported by the phone's form of the chat and by the hidden one. */
  bothForms: v.optional(v.boolean(), false),
  /** `web`: the events that the bridge posts for it. */
  events: v.optional(v.array(v.picklist(['message', 'message.any'])), ['message.any']),
});

const PersonSchema = v.object({
  /** Bare digits, or an opaque id where the network hides the phone. */
  from: v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.minLength(1)),
  /** `web`: the digits behind a hidden id, sent with the message. */
  phoneShown: v.optional(v.string()),
  /** `web`: the digits behind a hidden id, for look-ups on the bridge. */
  phoneKnown: v.optional(v.string()),
  /** `cloud`: the business-scoped id; one of the phone's own unless set. */
  userId: v.optional(v.string()),
  parentUserId: v.optional(v.string()),
  username: v.optional(v.string()),
  /** The contact's profile name. */
  name: v.optional(v.string()),
  /** The group in which it was written, by `from`. */
  group: v.optional(v.string()),
});

export const InboundSchema = v.object({
  channelId: v.optional(v.string()),
  phoneNumberId: v.optional(v.string()),
  session: v.optional(v.string()),
  ...PersonSchema.entries,
  text: v.optional(v.string()),
  media: v.optional(
    v.union([
      MediaSchema,
      v.pipe(
        v.string(),
        v.transform((url) => v.parse(MediaSchema, { url })),
      ),
    ]),
  ),
  ...ContentSchema.entries,
  ...RepetitionSchema.entries,
  /** The network's id of the message; the same again is the network repeating itself. */
  id: v.optional(v.string()),
  /** `web`, not WEBJS: the name of a part around the content, as `ephemeralMessage`. */
  wrapped: v.optional(v.string()),
  /** The network's id of the message that this one answers. */
  replyTo: v.optional(v.string()),
  /** `referral` of a `cloud` message, whole: the advertisement that led here. */
  referral: v.optional(anyRecord),
  /** `referred_product` of a `cloud` message: the product of a catalog that it is about. */
  product: v.optional(
    v.object({ catalog_id: v.optional(v.string()), product_retailer_id: v.string() }),
  ),
  /** When it was written, epoch milliseconds. */
  at: v.optional(v.number()),
  /** A person wrote it on the connected phone, to the contact `from`. */
  echo: v.optional(v.boolean(), false),
});

export type InboundRequest = v.InferOutput<typeof InboundSchema>;

/** Whether it has any content. */
export function hasContent(input: InboundRequest): boolean {
  const keys = [...Object.keys(ContentSchema.entries), 'text', 'media'] as const;
  return keys.some((key) => Object(input)[key] !== undefined);
}

export interface InboundFile {
  readonly id: string;
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly url: string;
  readonly sha256?: string;
  readonly fileName?: string | undefined;
  readonly voice?: boolean | undefined;
  readonly notDownloaded?: 'null' | 'error' | undefined;
  readonly gone?: boolean | undefined;
  readonly errorCode?: number | undefined;
}

type InboundFields = Omit<
  InboundRequest,
  | 'channelId'
  | 'phoneNumberId'
  | 'session'
  | 'media'
  | 'times'
  | 'bothForms'
  | 'events'
  | 'reply'
  | 'call'
>;

/** The message once its media is where the network would have it. */
export type Inbound = InboundFields & {
  readonly media?: InboundFile;
  /** `cloud`: the sender of the message that this one answers. */
  readonly replyAuthor?: string;
};
