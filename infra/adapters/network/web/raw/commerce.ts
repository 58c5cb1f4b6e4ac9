/**
 * Commerce in the engine's own message. NOWEB and GOWS have the network's `contextInfo`,
 * `productMessage` and `orderMessage`, GOWS with `ID` and `URL` at the end of names; WEBJS has
 * `ctwaContext`, and types of its own.
 *
 * 1. The network shows an advertisement as the card of a link, and any link may have a card. Only
 *    one that has a click, or comes from an advertisement by the network's word, is one.
 * 2. Newer clients encrypt what brought them: then the network's word is all that is known.
 * 3. No engine names the items of an order, nor the catalog.
 *
 * Sources: WAProto.proto of Baileys, WAWebProtobufsE2E.proto of whatsmeow, `WAWebMsgModel` of the
 * page; threads WhiskeySockets/Baileys #2354, wppconnect-team/WPP4Delphi #98.
 */
import type { Ad, Commerce, Order, Product } from '../../../../../shared/message-content.ts';
import { adOf, commerceOf, orderOf, productOf } from '../../commerce.ts';
import { isRecord, type JsonRecord, recordAt, textAt } from '../../webhook-body.ts';
import { rawContentOf } from './raw-message.ts';

/** `FB_Ads`, `ctwa_ad`, …: of what led the contact to the chat. */
const FROM_AD = /(?:^|_)(?:ads?|post)$/i;

export function commerceIn(message: JsonRecord): Commerce {
  const raw = rawContentOf(message);
  const data = recordAt(message, '_data');
  const contexts = Object.values(raw)
    .filter(isRecord)
    .map(({ contextInfo }) => contextInfo);
  const context = contexts.find(isRecord) ?? {};
  return commerceOf({
    ad: adIn(context) ?? adIn({ ...data, externalAdReply: data.ctwaContext }),
    product: productIn(raw, context) ?? productOnPage(data),
    order: orderIn(message),
  });
}

function adIn(context: JsonRecord): Ad | null {
  const card = recordAt(context, 'externalAdReply');
  const sourceId = named(card, 'sourceId', 'sourceID');
  const sourceType = textAt(card, 'sourceType');
  const clickId = textAt(card, 'ctwaClid');
  const isFromAd = [context.entryPointConversionSource, context.conversionSource].some(isAd);
  const isFromCard = isAd(card.conversionSource) || isAd(sourceType);
  const isClick = clickId !== undefined || (sourceId !== undefined && isFromCard);
  if (!isClick && !isFromAd && !isAd(card.conversionSource)) return null;
  return adOf({
    sourceId,
    sourceType: sourceType ?? 'ad',
    sourceUrl: named(card, 'sourceUrl', 'sourceURL'),
    clickId,
    headline: textAt(card, 'title'),
    body: named(card, 'body', 'description'),
  });
}

function isAd(source: unknown): boolean {
  return typeof source === 'string' && FROM_AD.test(source);
}

/** The product that the contact sends, or asks about. */
function productIn(raw: JsonRecord, context: JsonRecord): Product | null {
  const quoted = recordAt(context, 'quotedMessage');
  const shown = isRecord(raw.productMessage)
    ? raw.productMessage
    : recordAt(quoted, 'productMessage');
  return productNamed(recordAt(shown, 'product'));
}

function productOnPage(data: JsonRecord): Product | null {
  const shown = data.type === 'product' ? data : recordAt(data, 'quotedMsg');
  return shown.type === 'product' ? productNamed(shown) : null;
}

/** Without an id of the shop's own the network's stands for it. */
function productNamed(product: JsonRecord): Product | null {
  const retailerId = named(product, 'retailerId', 'retailerID');
  const productId = named(product, 'productId', 'productID');
  return productOf({ catalogId: undefined, retailerId: retailerId ?? productId });
}

/** Null where the message is no order. */
export function orderIn(message: JsonRecord): Order | null {
  const { orderMessage } = rawContentOf(message);
  if (isRecord(orderMessage)) return orderOf({ text: textAt(orderMessage, 'message'), items: [] });
  const data = recordAt(message, '_data');
  if (data.type !== 'order') return null;
  return orderOf({ text: textAt(data, 'message') ?? textAt(message, 'body'), items: [] });
}

function named(record: JsonRecord, one: string, other: string): string | undefined {
  return textAt(record, one) ?? textAt(record, other);
}
