/** Organizations with a business account in the simulator, and what the account is told to do. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { ListTemplatesAnswer } from '../../../shared/api/template.ts';
import { named } from '../applied.ts';
import { organizationFile } from '../organization.ts';
import type { Stack } from '../stack.ts';
import { useUntil } from '../stack-hooks.ts';
import { type Waiting, waitFor } from '../wait-for.ts';

export type TemplateList = v.InferOutput<typeof ListTemplatesAnswer>;

export interface Shop {
  readonly ref: string;
  readonly id: string;
  readonly businessAccountId: string;
  /** Of the account, of its channels `main` and `second`, and of the bridge's channel. */
  readonly key: string;
  readonly mainKey: string;
  readonly main: string;
  readonly second: string;
  readonly web: string;
  readonly phoneNumberId: string;
  readonly file: Readonly<Record<string, unknown>>;
}

interface ShopOptions {
  /** Without a business account. */
  readonly bare?: boolean;
}

/** Two `cloud` channels of one business account, and one `web` channel. */
function shopFile(ref: string, { bare = false }: ShopOptions = {}) {
  const file = organizationFile(ref);
  const [main, web] = file.channels;
  assert.ok(main && web);
  const account = bare ? {} : { businessAccountId: accountOf(ref) };
  const second = {
    ...main,
    ref: 'second',
    label: 'Segundo',
    phone: '+55 11 4000-3000',
    network: { ...main.network, phoneNumberId: `second-${ref}`, ...account },
  };
  return {
    ...file,
    channels: [{ ...main, network: { ...main.network, ...account } }, second, web],
  };
}

function accountOf(ref: string): string {
  return `account-${ref}`;
}

/** Applies such an organization. */
export async function openShop(
  stack: Stack,
  name: string,
  options: ShopOptions = {},
): Promise<Shop> {
  const ref = `${stack.prefix}${name}`;
  const file = shopFile(ref, options);
  const { orgs } = await stack.apply({ orgs: [file] });
  const { id, channels } = named(orgs, ref);
  const keyOf = (key: string) => file.keys.find((each) => each.ref === key)?.token ?? '';
  return {
    ref,
    id,
    file,
    businessAccountId: accountOf(ref),
    key: keyOf('erp'),
    mainKey: keyOf('main'),
    main: named(channels, 'main').id,
    second: named(channels, 'second').id,
    web: named(channels, 'shop').id,
    phoneNumberId: `number-${ref}`,
  };
}

/** Such an organization of a test file, whose eight templates the service has read. */
export function useShop(stack: Stack, name: string): Shop {
  const listed = { is: (all: TemplateList) => all.total === 8, what: 'all are listed' };
  return useUntil(async () => {
    const shop = await openShop(stack, name);
    await listUntil(stack, shop.key, listed);
    return shop;
  });
}

export async function list(stack: Stack, key: string, query = ''): Promise<TemplateList> {
  const answer = await stack.call('GET', `/api/v1/templates${query}`, { key });
  assert.equal(answer.status, 200, answer.text);
  return v.parse(ListTemplatesAnswer, answer.json);
}

/** Waits until the list is as wanted. */
export function listUntil(
  stack: Stack,
  key: string,
  { is, ...waiting }: Waiting & { readonly is: (list: TemplateList) => boolean },
): Promise<TemplateList> {
  return waitFor(async () => {
    const found = await list(stack, key, '?limit=200');
    return is(found) ? found : null;
  }, waiting);
}

/** Sets or changes a template of the account. */
export function setTemplate(
  stack: Stack,
  { businessAccountId }: Pick<Shop, 'businessAccountId'>,
  change: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return stack.network.control('POST /templates', {
    businessAccountId,
    language: 'pt_BR',
    ...change,
  });
}

/** Sets so many templates at the network, without a webhook. */
export async function setMany(stack: Stack, shop: Shop, count: number): Promise<void> {
  const BATCH = 50;
  for (let from = 0; from < count; from += BATCH) {
    await Promise.all(
      Array.from({ length: Math.min(BATCH, count - from) }, (_, offset) =>
        setTemplate(stack, shop, {
          name: `modelo_${String(from + offset).padStart(4, '0')}`,
          components: [{ type: 'BODY', text: `Modelo número ${from + offset}.` }],
          silent: true,
        }),
      ),
    );
  }
}
