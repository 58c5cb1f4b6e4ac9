/** What brought a contact here, and what they ask about or order. Text nodes alone: no links. */
import type { Message } from '../../../../shared/api/message.ts';
import { isolated } from '../base/isolated.tsx';
import { moneyIn } from '../format.ts';
import { TEXT } from '../sentences.ts';

const { content } = TEXT;

export function Advertisement({ ad }: { readonly ad: NonNullable<Message['ad']> }) {
  const words = ad.headline ?? ad.body ?? ad.sourceUrl ?? ad.sourceId;
  const title = [ad.body, ad.sourceUrl].filter((each) => each !== null).join('\n');
  return (
    <p class="small soft" title={title}>
      {words === null ? content.someAd : content.ad(isolated(words))}
    </p>
  );
}

export function Commerce({ message }: { readonly message: Message }) {
  const { product, order } = message;
  return (
    <>
      {product === undefined ? null : (
        <p class="small soft">{content.product(isolated(product.retailerId))}</p>
      )}
      {order === undefined ? null : <p class="small soft">{summaryOf(order.items)}</p>}
    </>
  );
}

type Items = NonNullable<Message['order']>['items'];

/** With the sum where every item has a price, all in one currency. */
function summaryOf(items: Items): string {
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const currencies = new Set(items.map(({ currency }) => currency));
  const [currency = null] = currencies;
  const cents = items.map(({ quantity, priceCents }) => quantity * (priceCents ?? Number.NaN));
  const sum = cents.reduce((one, other) => one + other, 0);
  const isSum = currencies.size === 1 && currency !== null && !Number.isNaN(sum);
  return [
    content.order,
    ...(items.length === 0 ? [] : [content.items(count)]),
    ...(isSum ? [moneyIn(currency, sum)] : []),
  ].join(' · ');
}
