/**
 * Advertisements, products and orders in the engines' own data. The control has them in the words
 * of the Cloud API: one input for every engine.
 */
import { type JsonRecord, recordAt, textAt } from '../../../adapters/network/webhook-body.ts';

/** As the control is given them. */
export interface BridgeCommerce {
  readonly referral?: JsonRecord | undefined;
  readonly product?: JsonRecord | undefined;
  readonly order?: JsonRecord | undefined;
}

/** How an engine ends its names: `sourceId` and `sourceUrl`, or in Go's spelling. */
export interface Endings {
  readonly id: 'ID' | 'Id';
  readonly url: 'URL' | 'Url';
}

const CONVERSION = 'FB_Ads';
const IMAGE = 1;

/** Of `contextInfo`, as the network has it. */
export function contextOf({ referral, product }: BridgeCommerce, { id, url }: Endings): JsonRecord {
  const quotedMessage = product && { productMessage: { product: productOf(product, id) } };
  if (referral === undefined) return quotedMessage === undefined ? {} : { quotedMessage };
  return {
    ...(quotedMessage && { quotedMessage }),
    conversionSource: CONVERSION,
    entryPointConversionSource: 'ctwa_ad',
    externalAdReply: {
      title: textAt(referral, 'headline'),
      body: textAt(referral, 'body'),
      mediaType: IMAGE,
      sourceType: textAt(referral, 'source_type'),
      [`source${id}`]: textAt(referral, 'source_id'),
      [`source${url}`]: textAt(referral, 'source_url'),
      ctwaClid: textAt(referral, 'ctwa_clid'),
    },
  };
}

/** Of the page's message. */
export function pageFieldsOf({ referral, product, order }: BridgeCommerce): JsonRecord {
  const quotedMsg = product && { type: 'product', ...productOf(product, 'Id') };
  return {
    ...(referral && { ctwaContext: pageContextOf(referral) }),
    ...(quotedMsg && { quotedMsg }),
    ...(order && { ...orderOf(order, 'Id') }),
  };
}

function pageContextOf(referral: JsonRecord): JsonRecord {
  return {
    conversionSource: CONVERSION,
    title: textAt(referral, 'headline'),
    description: textAt(referral, 'body'),
    mediaType: IMAGE,
    sourceType: textAt(referral, 'source_type'),
    sourceId: textAt(referral, 'source_id'),
    sourceUrl: textAt(referral, 'source_url'),
    ctwaClid: textAt(referral, 'ctwa_clid'),
  };
}

function productOf(product: JsonRecord, id: Endings['id']): JsonRecord {
  const retailer = textAt(product, 'product_retailer_id');
  return { [`product${id}`]: '7701', [`retailer${id}`]: retailer, title: 'Produto' };
}

/** The network tells how many there are, not which. */
export function orderOf(order: JsonRecord, id: Endings['id']): JsonRecord {
  const { product_items: items } = order;
  return {
    [`order${id}`]: '5501',
    itemCount: Array.isArray(items) ? items.length : 0,
    status: 1,
    surface: 1,
    message: textAt(order, 'text'),
    orderTitle: textAt(recordAt(order, 'catalog'), 'name') ?? 'Loja',
    token: 'AR0=',
  };
}
