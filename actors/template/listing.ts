/** The templates of one listing of a business account: inserted, and removed with their number. */
import { listedTemplateId, templateId } from '../../shared/entity-ids.ts';
import type { NetworkTemplate } from '../../shared/ports/network.ts';
import { readTemplateForm } from '../../shared/template-form.ts';
import { foldText } from '../../shared/text/fold.ts';
import type { Environment } from '../environment.ts';
import type { Filter, Write } from '../model/collections.ts';
import type { TemplateDocument } from '../model/template.ts';
import { assertCommitted } from '../runtime/turn.ts';

const BATCH = 200;

type Listed = readonly NetworkTemplate[];

/** In a fixed order, one per name and language: of two the approved one. */
export function distinctTemplates(templates: Listed): Listed {
  const byName = new Map<string, NetworkTemplate>();
  for (const template of templates) {
    const key = JSON.stringify([template.name, template.language]);
    if (byName.get(key)?.status !== 'APPROVED') byName.set(key, template);
  }
  return [...byName].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each);
}

function documentOf(
  { ids }: Pick<Environment, 'ids'>,
  template: NetworkTemplate,
  { accountId, listing }: { readonly accountId: string; readonly listing: number },
): TemplateDocument {
  const own = templateId(ids, accountId, template);
  const { networkId, name, language, category, status, quality, named, components } = template;
  return {
    _id: listedTemplateId(ids, own, listing),
    templateId: own,
    accountId,
    listing,
    folded: foldText(`${name}\n${readTemplateForm(template).body}`),
    ...{ networkId, name, language, category, status, quality, named, components },
  };
}

/** Inserts the templates of a listing, which no reader sees before its account names it. */
export async function insertListing(
  environment: Pick<Environment, 'ids' | 'store'>,
  templates: Listed,
  listed: { readonly accountId: string; readonly listing: number },
): Promise<void> {
  for (let from = 0; from < templates.length; from += BATCH) {
    const writes: readonly Write[] = templates.slice(from, from + BATCH).map((template) => ({
      insert: 'templates',
      document: documentOf(environment, template, listed),
    }));
    const outcomes = await environment.store.commit(writes, { deferrable: true });
    for (const outcome of outcomes) assertCommitted(outcome, `templates of ${listed.accountId}`);
  }
}

/** Removes the templates of listings that nothing shows any more. */
export async function removeListings(
  { store }: Pick<Environment, 'store'>,
  accountId: string,
  listing: Filter<'templates'>['listing'] & {},
): Promise<void> {
  await store.commit([{ remove: 'templates', filter: { accountId, listing } }], {
    deferrable: true,
  });
}
