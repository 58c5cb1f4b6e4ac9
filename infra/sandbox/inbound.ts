/** What `POST /control/inbound` takes: a contact's message, made by hand. */
import * as v from 'valibot';

export const MEDIA_KINDS = ['image', 'audio', 'video', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const MediaSchema = v.object({
  kind: v.optional(v.picklist(MEDIA_KINDS)),
  mimeType: v.optional(v.string(), 'image/png'),
  fileName: v.optional(v.string()),
  /** Shown when the message has no text. */
  caption: v.optional(v.string()),
  /** The bytes, base64; or `url`, where they already are. */
  data: v.optional(v.string()),
  url: v.optional(v.string()),
});

export const InboundSchema = v.object({
  channelId: v.optional(v.string()),
  phoneNumberId: v.optional(v.string()),
  session: v.optional(v.string()),
  /** Bare digits, or an opaque id where the network hides the phone. */
  from: v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.minLength(1)),
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
  /** The network's id of the message; the same again is the network repeating itself. */
  id: v.optional(v.string()),
  /** `web`: the digits behind a hidden id, told with the message. */
  phoneShown: v.optional(v.string()),
  /** `web`: the digits behind a hidden id, told to who asks the bridge. */
  phoneKnown: v.optional(v.string()),
  /** The contact's profile name. */
  name: v.optional(v.string()),
  /** The network's id of the message that this one answers. */
  replyTo: v.optional(v.string()),
  /** When it was written, epoch milliseconds. */
  at: v.optional(v.number()),
  /** A person wrote it on the connected phone, to the contact `from`. */
  echo: v.optional(v.boolean(), false),
});

export type InboundRequest = v.InferOutput<typeof InboundSchema>;

/** The message once its media is where the network would have it. */
export interface Inbound {
  readonly from: string;
  readonly phoneShown?: string | undefined;
  readonly text?: string | undefined;
  readonly media?: {
    readonly id: string;
    readonly kind: MediaKind;
    readonly mimeType: string;
    readonly url: string;
    readonly sha256?: string;
    readonly fileName?: string | undefined;
  };
  readonly name?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly at?: number | undefined;
  readonly echo: boolean;
}
