/** Commerce in a `cloud` message: `referral`, `context.referred_product`, `order`. */
import type { Ad, Commerce, Order } from '../../../../shared/message-content.ts';
import { adOf, commerceOf, orderOf, productOf } from '../commerce.ts';
import { isRecord, type JsonRecord, listAt, recordAt, textAt } from '../webhook-body.ts';

export function commerceIn(message: JsonRecord): Commerce {
  const product = recordAt(recordAt(message, 'context'), 'referred_product');
  return commerceOf({
    ad: adIn(message),
    product: productOf({
      catalogId: textAt(product, 'catalog_id'),
      retailerId: textAt(product, 'product_retailer_id'),
    }),
    order: message.type === 'order' ? orderIn(recordAt(message, 'order')) : null,
  });
}

export function adIn(message: JsonRecord): Ad | null {
  const referral = recordAt(message, 'referral');
  return adOf({
    sourceId: textAt(referral, 'source_id'),
    sourceType: textAt(referral, 'source_type'),
    sourceUrl: textAt(referral, 'source_url'),
    clickId: textAt(referral, 'ctwa_clid'),
    headline: textAt(referral, 'headline'),
    body: textAt(referral, 'body'),
  });
}

function orderIn(part: JsonRecord): Order {
  const items = listAt(part, 'product_items').filter(isRecord);
  return orderOf({
    catalogId: textAt(part, 'catalog_id'),
    text: textAt(part, 'text'),
    items: items.map((item) => ({
      retailerId: textAt(item, 'product_retailer_id'),
      quantity: textAt(item, 'quantity'),
      price: textAt(item, 'item_price'),
      currency: textAt(item, 'currency'),
    })),
  });
}
