/**
 * `recado export`: an organization as a provisioning file. Applied to the organization that it came
 * from, it changes nothing (D181).
 */
import type { Command } from 'commander';
import * as v from 'valibot';
import { ORG } from '../output/lists.ts';
import type { Row } from '../output/print.ts';
import { printingOf, type Terminal } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { askOrganization, locateOrganization } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';
import { readTags } from './entries.ts';

const exportedSchema = v.object({
  organization: v.looseObject({
    ref: v.string(),
    files: v.array(v.unknown()),
    subscriptions: v.array(v.unknown()),
  }),
});

async function exportOrganization(service: Service, org?: string) {
  const { id } = await locateOrganization(service, org);
  const answer = await askOrganization(service, id, { type: 'export' });
  const { files, subscriptions, ...head } = readAnswer(exportedSchema, answer).organization;
  const { data } = await readTags(service, id);
  const tags = data.map(({ ref }) => ref);
  return { orgs: [withoutEmptyLists({ ...head, tags, files, subscriptions })] };
}

function withoutEmptyLists(organization: Row): Row {
  const stored = Object.entries(organization).filter(
    ([, value]) => !Array.isArray(value) || value.length > 0,
  );
  return Object.fromEntries(stored);
}

const HEAD = `# Exported by recado export. Secrets, tokens and the content of files are left out: applied to the
# organization that it came from, this file keeps them and changes nothing.
`;

async function fileWriter(): Promise<(file: Row) => string> {
  const { writeYaml } = await import('../output/yaml-writer.ts');
  return (file) => `${HEAD}${writeYaml(file)}`;
}

export function addExport(program: Command, terminal: Terminal): void {
  const { show } = printingOf(program, terminal);
  program
    .command('export')
    .description('prints an organization as a file that apply takes back; never a secret')
    .option(...ORG)
    .action(async ({ org }: { org?: string }) => {
      const text = await fileWriter();
      await show((service) => exportOrganization(service, org), { text });
    });
}
