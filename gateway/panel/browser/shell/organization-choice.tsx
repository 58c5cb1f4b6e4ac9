/** The operator's choice of the organization that the screens show. */
import { Alert, Empty, Select } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { TEXT } from '../sentences.ts';
import { chooseOrganization, type Organization, session } from '../session.ts';

const { choice } = TEXT;

export function OrganizationChoice() {
  const read = useRead<{ readonly data: readonly Organization[] }>('/panel/api/organizations', {
    kinds: ['organization'],
  });
  const organizations = read.body?.data ?? [];
  const chosen = session.value?.organization?.id ?? '';
  const byName = organizations.toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <>
      <Select
        quiet
        label={choice.label}
        value={chosen}
        onValue={(id) => chooseOrganization(organizations.find((each) => each.id === id) ?? null)}
        options={[['', choice.none], ...byName.map(({ id, name }) => [id, name] as const)]}
      />
      <Alert refused={read.refused} onAgain={read.again} />
    </>
  );
}

/** In place of a screen that shows one organization. */
export function NoOrganization({ name }: { readonly name: string }) {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{name}</h1>
      </header>
      <Empty title={choice.title} text={choice.text} />
    </div>
  );
}
