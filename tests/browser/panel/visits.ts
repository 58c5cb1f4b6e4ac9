/**
 * Visits of every screen, dialog and menu of the panel, by role and name. A dialog or menu is
 * named as the pages name it: by its file, and the expression of its title or label.
 */
import type { Locator, Page } from 'playwright-core';

export interface Visit {
  readonly name: string;
  /** Name of the screen in the navigation. */
  readonly screen: string;
  /** The way from the screen to the state. */
  readonly go?: (page: Page) => Promise<unknown>;
}

export interface OpenedVisit extends Visit {
  readonly opens: 'dialog' | 'alertdialog' | 'menu';
  /** The control that has the focus; its Enter opens, or else this key. */
  readonly opener: (page: Page) => Locator;
  readonly key?: string;
  /** The way on from another dialog or menu, which the opener opens. */
  readonly onward?: (page: Page) => Promise<unknown>;
  /** What has the focus after its end; the opener unless set. */
  readonly back?: (page: Page) => Locator;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inMain = (page: Page) => page.getByRole('main');
const log = (page: Page) => page.getByRole('log', { name: 'Mensagens' });
const card = (page: Page) => inMain(page).getByRole('listitem').filter({ hasText: 'Plano anual' });

async function openThread(page: Page): Promise<void> {
  const list = page.getByRole('list', { name: 'Conversas' });
  if (!(await log(page).isVisible())) await list.getByRole('link', { name: 'Rui' }).click();
  await log(page).getByText('Veja a foto').waitFor();
}

async function openContact(page: Page): Promise<void> {
  await openThread(page);
  const pane = page.getByRole('complementary', { name: 'Contato' });
  if (!(await pane.isVisible())) await button(page, 'Contato').click();
  await pane.getByText('ouro').waitFor();
}

async function editWithProblem(page: Page): Promise<void> {
  await button(page, 'Editar').click();
  const text = page.getByRole('textbox', { name: 'Texto do fluxo' });
  await text.fill((await text.inputValue()).replace('next: hear', 'next: nowhere'));
  await button(page, 'Publicar').click();
  await inMain(page).getByRole('alert').waitFor();
}

async function traceRun(page: Page): Promise<void> {
  const list = page.getByRole('list', { name: 'Conversas' });
  await list.getByRole('link', { name: 'Bia Torres' }).click();
  await log(page).getByText('Qual plano?').waitFor();
  const pane = page.getByRole('complementary', { name: 'Contato' });
  if (!(await pane.isVisible())) await button(page, 'Contato').click();
  await pane.getByRole('link', { name: 'Ver a execução' }).click();
  await page.getByRole('list', { name: 'Execução' }).getByText('Qual plano?').waitFor();
}

async function openDelivery(page: Page): Promise<void> {
  const deliveries = page.getByRole('list', { name: 'Entregas' });
  await deliveries.getByRole('button', { name: 'Detalhes' }).first().click();
  await deliveries.getByRole('figure', { name: 'Corpo' }).first().waitFor();
}

export const STATES: readonly Visit[] = [
  { name: 'a thread', screen: 'Conversas', go: openThread },
  { name: 'a thread with its contact', screen: 'Conversas', go: openContact },
  {
    name: 'a search without a result',
    screen: 'Conversas',
    go: async (page) => {
      await page.goto('/conversas?query=ninguem');
      await button(page, 'Limpar filtros').waitFor();
    },
  },
  {
    name: 'a contact',
    screen: 'Contatos',
    go: async (page) => {
      await inMain(page).getByRole('link', { name: 'Rui' }).click();
      await page.getByRole('heading', { name: 'Histórico do opt-in' }).waitFor();
    },
  },
  { name: 'a run’s trace', screen: 'Conversas', go: traceRun },
  { name: 'a flow’s text with a problem', screen: 'Fluxos', go: editWithProblem },
  { name: 'a delivery', screen: 'Integrações', go: openDelivery },
  {
    name: 'deals of every situation',
    screen: 'Negócios',
    go: async (page) => {
      await page.getByLabel('Situação').selectOption('Todos');
      await page.getByRole('list', { name: 'Negócios' }).getByText('Plano anual').waitFor();
    },
  },
  { name: 'done tasks', screen: 'Tarefas', go: (page) => button(page, 'Concluídas').click() },
  {
    name: 'an unknown page',
    screen: 'Tarefas',
    go: async (page) => {
      await page.goto('/nada');
      await page.getByText('Esta página não existe.').waitFor();
    },
  },
];

async function createKey(page: Page): Promise<void> {
  await page.getByLabel('Nome da chave').fill('Site');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Chave criada' }).waitFor();
}

async function chooseTemplate(page: Page): Promise<void> {
  await page.getByRole('button', { name: /lembrete_consulta/ }).press('Enter');
  await page.getByLabel(/^Variável nome/).waitFor();
}

async function keepReply(page: Page): Promise<void> {
  await page.getByRole('menuitem', { name: 'Salvar o texto' }).press('Enter');
}

async function write(page: Page): Promise<void> {
  await openThread(page);
  await page.getByRole('textbox', { name: 'Mensagem' }).fill('Bom dia');
}

async function writeWithReply(page: Page): Promise<void> {
  await write(page);
  await button(page, 'Respostas rápidas').click();
  await keepReply(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Título da resposta rápida').fill('Saudação');
  await dialog.getByLabel('Título da resposta rápida').press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

async function removeReplies(page: Page): Promise<void> {
  await page.getByRole('menuitem', { name: 'Apagar respostas rápidas' }).press('Enter');
}

async function chooseSubscription(page: Page): Promise<void> {
  await inMain(page).getByLabel('Assinatura', { exact: true }).selectOption({ index: 1 });
}

/** The list, with no thread over it. */
async function unread(page: Page): Promise<void> {
  await page.goto('/conversas');
  await page.getByRole('list', { name: 'Conversas' }).waitFor();
}

/** The list with one conversation selected. */
async function selectOne(page: Page): Promise<void> {
  await unread(page);
  await page.getByRole('checkbox', { name: 'Selecionar: Rui' }).check();
  await page.getByRole('toolbar', { name: 'Seleção' }).waitFor();
}

const selectionTool = (name: string) => (page: Page) =>
  page.getByRole('toolbar', { name: 'Seleção' }).getByRole('button', { name });
const messageMenu = (page: Page) =>
  log(page).getByRole('button', { name: 'Ações da mensagem' }).last();
const act = (name: string) => (page: Page) =>
  page.getByRole('menuitem', { name, exact: true }).press('Enter');

export const OPENED: readonly OpenedVisit[] = [
  {
    ...{ name: 'emoji/emoji-dialog.tsx TEXT.emoji.label', screen: 'Conversas', go: openThread },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Emoji') },
    back: (page) => page.getByRole('textbox', { name: 'Mensagem' }),
  },
  {
    ...{ name: 'conversations/acts/message-menu.tsx acts.menu', screen: 'Conversas' },
    ...{ go: openThread, opens: 'menu', opener: messageMenu },
  },
  {
    ...{ name: 'conversations/acts/reactions.tsx acts.react', screen: 'Conversas' },
    ...{ go: openThread, opens: 'dialog', opener: messageMenu, onward: act('Reagir') },
  },
  {
    ...{ name: 'conversations/acts/forward-dialog.tsx acts.forwardTitle', screen: 'Conversas' },
    ...{ go: openThread, opens: 'dialog', opener: messageMenu, onward: act('Encaminhar') },
  },
  {
    ...{ name: 'conversations/shortcuts.tsx TEXT.shortcuts.title', screen: 'Conversas' },
    ...{ go: openThread, opens: 'dialog', key: '?', opener: (page) => button(page, 'Resolver') },
  },
  {
    ...{ name: 'conversations/composer/template-dialog.tsx templates.title', screen: 'Conversas' },
    ...{ go: openThread, opens: 'dialog', opener: (page) => button(page, 'Modelos') },
  },
  {
    ...{ name: 'conversations/composer/template-dialog.tsx isolated', screen: 'Conversas' },
    ...{ go: openThread, opens: 'dialog' },
    ...{ opener: (page) => button(page, 'Modelos'), onward: chooseTemplate },
  },
  {
    ...{ name: 'conversations/composer/schedule-dialog.tsx schedule.title', screen: 'Conversas' },
    ...{ go: write, opens: 'dialog', opener: (page) => button(page, 'Agendar') },
  },
  {
    ...{ name: 'conversations/actions.tsx actions.assign', screen: 'Conversas' },
    ...{ go: openThread, opens: 'menu', opener: (page) => button(page, 'Atribuir') },
  },
  {
    ...{ name: 'conversations/media.tsx name', screen: 'Conversas', go: openThread },
    ...{ opens: 'dialog', opener: (page) => log(page).getByRole('button', { name: 'foto.png' }) },
  },
  {
    ...{
      name: 'conversations/composer/quick-replies.tsx composer.quickReplies',
      screen: 'Conversas',
    },
    ...{ go: write, opens: 'menu', opener: (page) => button(page, 'Respostas rápidas') },
  },
  {
    ...{
      name: 'conversations/composer/quick-reply-dialogs.tsx composer.keepQuickReply',
      screen: 'Conversas',
    },
    ...{ go: write, opens: 'dialog', opener: (page) => button(page, 'Respostas rápidas') },
    onward: keepReply,
  },
  {
    ...{
      name: 'conversations/composer/quick-reply-dialogs.tsx composer.removeQuickReplies',
      screen: 'Conversas',
    },
    ...{ go: writeWithReply, opens: 'dialog' },
    ...{ opener: (page) => button(page, 'Respostas rápidas'), onward: removeReplies },
  },
  {
    ...{ name: 'conversations/new-conversation-dialog.tsx words.title', screen: 'Conversas' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Nova conversa').first(), go: unread },
  },
  {
    ...{ name: 'conversations/selection/selection-bar.tsx TEXT.actions.assign' },
    ...{ screen: 'Conversas', go: selectOne, opens: 'menu', opener: selectionTool('Atribuir') },
  },
  {
    ...{ name: 'conversations/selection/tag-dialog.tsx SELECTION.tag', screen: 'Conversas' },
    ...{ go: selectOne, opens: 'dialog', opener: selectionTool('Etiquetar') },
  },
  {
    ...{ name: 'people/contact-dialog.tsx before', screen: 'Contatos' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Novo contato') },
  },
  {
    ...{ name: 'people/contact-dialog.tsx before', screen: 'Conversas', go: openContact },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Editar contato') },
  },
  {
    ...{ name: 'deals/new-deal-dialog.tsx deals.create', screen: 'Negócios' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Novo negócio') },
  },
  {
    ...{ name: 'shell/notices/notices-dialog.tsx notices.title', screen: 'Conversas' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Notificações') },
  },
  {
    ...{ name: 'deals/edit-deal-dialog.tsx deals.edit', screen: 'Negócios', opens: 'dialog' },
    opener: (page) => card(page).getByRole('button', { name: 'Editar negócio' }),
  },
  {
    ...{ name: 'tasks/edit-task-dialog.tsx tasks.edit', screen: 'Tarefas', opens: 'dialog' },
    opener: (page) => inMain(page).getByRole('button', { name: 'Editar tarefa: Ligar' }),
  },
  {
    ...{ name: 'team/member-line.tsx team.disableTitle', screen: 'Equipe', opens: 'alertdialog' },
    opener: (page) => button(page, 'Desativar: Bia Reis'),
  },
  {
    ...{ name: 'deals/lost-dialog.tsx deals.lostTitle', screen: 'Negócios' },
    ...{ opens: 'dialog', opener: (page) => card(page).getByRole('button', { name: 'Perdido' }) },
  },
  {
    ...{ name: 'deals/column.tsx deals.moveTo', screen: 'Negócios', opens: 'menu' },
    opener: (page) => card(page).getByRole('button', { name: 'Mover para…' }),
  },
  {
    ...{ name: 'tasks/new-task-dialog.tsx tasks.create', screen: 'Tarefas' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Nova tarefa') },
  },
  {
    ...{ name: 'team/invite-dialog.tsx team.inviteTitle', screen: 'Equipe' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Convidar') },
  },
  {
    ...{ name: 'keys/new-key-dialog.tsx keys.create', screen: 'Integrações' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Nova chave') },
  },
  {
    ...{ name: 'channels/bulk.tsx channels.cancelBulk', screen: 'Canais' },
    ...{ opens: 'alertdialog', opener: (page) => button(page, 'Cancelar envio em massa') },
  },
  {
    ...{ name: 'keys/shown-once.tsx title', screen: 'Canais', onward: createKey },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Nova chave').first() },
  },
  {
    ...{ name: 'integrations/keys.tsx integrations.revokeTitle', screen: 'Integrações' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Revogar').first() },
  },
  {
    name: 'integrations/new-subscription-dialog.tsx integrations.createSubscription',
    ...{ screen: 'Integrações', opens: 'dialog' },
    opener: (page) => button(page, 'Nova assinatura'),
  },
  {
    ...{ name: 'keys/shown-once.tsx title', screen: 'Integrações' },
    ...{ opens: 'dialog', opener: (page) => button(page, 'Trocar segredo').first() },
  },
  {
    ...{ name: 'integrations/retry-range-dialog.tsx integrations.rangeTitle' },
    ...{ screen: 'Integrações', go: chooseSubscription, opens: 'dialog' },
    opener: (page) => button(page, 'Reenviar as que falharam'),
  },
];
