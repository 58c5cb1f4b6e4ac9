/**
 * What a network tells of commerce beside a contact's words (D412): an advertisement, a product, an
 * order. Strangers write all of it: it is bounded, without control characters, and an address is of
 * the web.
 *
 * 1. A text is cut at its bound. An id or an address is whole or none: a part of one is another's.
 * 2. Prices are in hundredths of the currency, rounded half up by their digits.
 */
import {
  AD_BODY_MAX_CHARS,
  AD_HEADLINE_MAX_CHARS,
  COMMERCE_ID_MAX_CHARS,
  COMMERCE_URL_MAX_CHARS,
  MESSAGE_TEXT_MAX_CHARS,
  ORDER_ITEMS_MAX,
} from '../../../shared/limits.ts';
import type { Ad, Commerce, Order, OrderItem, Product } from '../../../shared/message-content.ts';
import { withoutControl } from '../../../shared/text/control-characters.ts';
import { firstCodePoints } from '../../../shared/text/utf8.ts';

type Told = string | undefined;

const QUANTITY_MAX = 1_000_000_000;

export interface ToldItem {
  readonly retailerId: Told;
  readonly quantity: Told;
  readonly price: Told;
  readonly currency: Told;
}

/** Null where nothing of it can be shown. */
export function adOf(told: { readonly [field in keyof Ad]: Told }): Ad | null {
  const ad = {
    sourceId: idOf(told.sourceId),
    sourceType: idOf(told.sourceType),
    sourceUrl: addressOf(told.sourceUrl),
    clickId: idOf(told.clickId),
    headline: textOf(told.headline, AD_HEADLINE_MAX_CHARS),
    body: textOf(told.body, AD_BODY_MAX_CHARS),
  };
  return Object.values(ad).every((field) => field === null) ? null : ad;
}

/** Null for a product that has no id. */
export function productOf(told: { readonly [field in keyof Product]: Told }): Product | null {
  const retailerId = idOf(told.retailerId);
  return retailerId === null ? null : { catalogId: idOf(told.catalogId), retailerId };
}

export function orderOf(told: {
  readonly catalogId?: Told;
  readonly text: Told;
  readonly items: readonly ToldItem[];
}): Order {
  return {
    catalogId: idOf(told.catalogId),
    text: textOf(told.text, MESSAGE_TEXT_MAX_CHARS),
    items: told.items.flatMap((item) => itemOf(item) ?? []).slice(0, ORDER_ITEMS_MAX),
  };
}

/** Without what is null. */
export function commerceOf({
  ad,
  product,
  order,
}: {
  readonly ad: Ad | null;
  readonly product: Product | null;
  readonly order: Order | null;
}): Commerce {
  return { ...(ad && { ad }), ...(product && { product }), ...(order && { order }) };
}

function itemOf({ retailerId, quantity, price, currency }: ToldItem): OrderItem | null {
  const id = idOf(retailerId);
  if (id === null) return null;
  return {
    retailerId: id,
    quantity: quantityOf(quantity),
    priceCents: centsOf(price),
    currency:
      currency !== undefined && /^[a-z]{3}$/i.test(currency) ? currency.toUpperCase() : null,
  };
}

/** One where the network names none, as in the order's words. */
function quantityOf(quantity: Told): number {
  const count = /^\d{1,10}$/.test(quantity ?? '') ? Number(quantity) : 1;
  return Math.min(count, QUANTITY_MAX);
}

/** By its digits: in binary 19.995 is a little less than it says, and 0.29 × 100 is 28.999…. */
function centsOf(price: Told): number | null {
  if (price === undefined || !/^\d{1,12}(?:\.\d{1,20})?$/.test(price)) return null;
  return Math.round(Number(`${price}e2`));
}

function idOf(text: Told): string | null {
  const id = withoutControl(text ?? '').trim();
  return id === '' || id.length > COMMERCE_ID_MAX_CHARS ? null : id;
}

function addressOf(text: Told): string | null {
  const address = withoutControl(text ?? '').trim();
  if (address.length > COMMERCE_URL_MAX_CHARS || !URL.canParse(address)) return null;
  return ['http:', 'https:'].includes(new URL(address).protocol) ? address : null;
}

/** Its lines stay. */
function textOf(text: Told, maxChars: number): string | null {
  const lines = firstCodePoints(text ?? '', maxChars).split('\n');
  return lines.map(withoutControl).join('\n').trim() || null;
}
