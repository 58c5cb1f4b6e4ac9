/**
 * Content of a message other than text and a file: templates, buttons and lists, reactions,
 * locations, contact cards. One form from the caller's body to the log and to the drivers.
 */

/** A header's variable text; a file of the header is the message's media. */
export interface TemplateValues {
  readonly name: string;
  /** The network's code, `pt_BR`. */
  readonly language: string;
  readonly header?: { readonly text: string };
  /** By position, or by name. */
  readonly body?: readonly string[] | Readonly<Record<string, string>>;
  readonly buttons?: readonly TemplateButtonValue[];
}

export interface TemplateButtonValue {
  /** 0-based, among all buttons of the template. */
  readonly index: number;
  readonly value: string;
}

/** A template's message as it is sent: the values, arranged as its components name them. */
export interface TemplateMessage {
  readonly name: string;
  readonly language: string;
  readonly header?: { readonly text: string; readonly parameter?: string };
  readonly body: readonly TemplateParameter[];
  readonly buttons: readonly TemplateButton[];
  /** Its category was MARKETING when the message was accepted. */
  readonly marketing?: true;
}

export interface TemplateParameter {
  readonly text: string;
  /** Set where the template names its parameters. */
  readonly parameter?: string;
}

export interface TemplateButton extends TemplateButtonValue {
  readonly type: 'url' | 'quick_reply' | 'copy_code';
}

export interface InteractiveButton {
  readonly id: string;
  readonly title: string;
}

export interface InteractiveRow extends InteractiveButton {
  readonly description?: string | undefined;
}

interface InteractiveFrame {
  readonly text: string;
  readonly header?: string | undefined;
  readonly footer?: string | undefined;
}

export type Interactive = InteractiveFrame &
  (
    | { readonly type: 'buttons'; readonly buttons: readonly InteractiveButton[] }
    | {
        readonly type: 'list';
        /** Title of the button that opens the list. */
        readonly button: string;
        readonly sections: readonly {
          readonly title?: string | undefined;
          readonly rows: readonly InteractiveRow[];
        }[];
      }
    | { readonly type: 'url'; readonly title: string; readonly url: string }
  );

/** A contact's choice of a button or of a row; its title is the message's text. */
export interface InteractiveAnswer {
  readonly type: 'button' | 'row';
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
}

export interface Location {
  /** Degrees, -90 to 90. */
  readonly latitude: number;
  /** Degrees, -180 to 180. */
  readonly longitude: number;
  readonly name?: string | undefined;
  readonly address?: string | undefined;
}

export interface ContactCard {
  readonly name: string;
  /** As the caller wrote them, or as the network did. */
  readonly phones: readonly string[];
  readonly email?: string | undefined;
  readonly organization?: string | undefined;
}

export interface Reaction {
  /** Of the message, of this conversation, that it is about; null where it is unknown. */
  readonly messageId: string | null;
  /** Empty: it is taken back. */
  readonly emoji: string;
}

export type MessageContent =
  | { readonly type: 'template'; readonly template: TemplateMessage }
  | { readonly type: 'interactive'; readonly interactive: Interactive }
  | { readonly type: 'answer'; readonly answer: InteractiveAnswer }
  | { readonly type: 'reaction'; readonly reaction: Reaction }
  | { readonly type: 'location'; readonly location: Location }
  | { readonly type: 'contacts'; readonly contacts: readonly ContactCard[] };

/** The advertisement or post that led the contact here; null where the network does not say. */
export interface Ad {
  readonly sourceId: string | null;
  /** `ad` or `post`, in the network's words. */
  readonly sourceType: string | null;
  /** `http` or `https`. */
  readonly sourceUrl: string | null;
  /** The network's id of the click, for conversions reported to it. */
  readonly clickId: string | null;
  readonly headline: string | null;
  readonly body: string | null;
}

/** The product of a catalog that the message is about. */
export interface Product {
  /** Null where the network names the product alone. */
  readonly catalogId: string | null;
  readonly retailerId: string;
}

export interface OrderItem {
  readonly retailerId: string;
  readonly quantity: number;
  /** Of one of them; null where the network names no price. */
  readonly priceCents: number | null;
  readonly currency: string | null;
}

/** An order from a catalog: `items` is empty where the network names none. */
export interface Order {
  readonly catalogId: string | null;
  /** What the contact wrote with it. */
  readonly text: string | null;
  readonly items: readonly OrderItem[];
}

/** What a network tells of commerce beside a contact's words; absent where there is none. */
export interface Commerce {
  readonly ad?: Ad | undefined;
  readonly product?: Product | undefined;
  readonly order?: Order | undefined;
}
