/** The pictures of the pages: screen, size and light of each, and the steps before. */
import type { Page } from 'playwright-core';

export interface Picture {
  readonly name: string;
  readonly screen: string;
  readonly dark?: boolean;
  readonly narrow?: boolean;
  /** Steps of a person before it is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

export const PICTURES: readonly Picture[] = [
  { name: 'conversations', screen: 'Conversas', prepare: openThread },
  { name: 'conversations-dark', screen: 'Conversas', dark: true, prepare: openThread },
  { name: 'conversations-390', screen: 'Conversas', narrow: true, prepare: openThread },
  { name: 'deals', screen: 'Negócios' },
  { name: 'tasks', screen: 'Tarefas' },
  { name: 'contacts', screen: 'Contatos', prepare: openContact },
  { name: 'flows', screen: 'Fluxos', prepare: openRun },
  { name: 'integrations', screen: 'Integrações' },
];

const OTHER_SCREENS = ['Canais', 'Equipe', 'Operação'];

/** Every screen, light and dark, wide and narrow, for a look at all of them. */
export function everyPicture(): readonly Picture[] {
  const screens = PICTURES.filter(({ name }) => !name.includes('-'));
  const others = OTHER_SCREENS.map((screen) => ({ name: screen.toLowerCase(), screen }));
  return [...screens, ...others].flatMap((each) => [
    each,
    { ...each, name: `${each.name}-dark`, dark: true },
    { ...each, name: `${each.name}-390`, narrow: true },
    { ...each, name: `${each.name}-390-dark`, narrow: true, dark: true },
  ]);
}

async function openThread(page: Page): Promise<void> {
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name: 'Marina' }).click();
  await page.getByRole('log').getByText('Reservada!').waitFor();
}

async function openContact(page: Page): Promise<void> {
  await page.getByRole('list', { name: 'Contatos' }).getByRole('link', { name: 'Marina' }).click();
  await page.getByText('aceitou mensagens').waitFor();
}

async function openRun(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Acompanhar pedido' }).click();
  const runs = page.getByRole('list', { name: 'Últimas execuções' });
  await runs.getByRole('link', { name: 'Thiago' }).click();
  await page.getByRole('list', { name: 'Execução' }).waitFor();
}
