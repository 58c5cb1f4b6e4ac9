/** Texts of who is written to: the form of a contact, and the box that finds one. */
export const RECIPIENT = {
  label: 'Contato ou telefone',
  hint: 'Nome ou telefone',
  options: 'Contatos encontrados',
  nobody: 'Escolha um contato da lista, ou escreva um telefone com DDD.',
} as const;

export const PEOPLE = {
  create: 'Novo contato',
  edit: 'Editar contato',
  phone: 'Telefone',
  name: 'Nome',
  email: 'E-mail',
  tags: 'Etiquetas',
  newTag: 'Nova etiqueta',
  addTag: 'Adicionar etiqueta',
  removeTag: (tag: string) => `Remover etiqueta: ${tag}`,
  fields: 'Campos',
  field: 'Campo',
  value: 'Valor',
  addField: 'Adicionar campo',
  removeField: (name: string) => `Remover campo: ${name}`,
  optIn: 'Aceita mensagens',
  tag: 'Etiqueta',
  everyTag: 'Todas',
  consents: { '': 'Todos', yes: 'Sim', no: 'Não', none: 'Sem registro' },
  namelessField: 'Escreva o nome de cada campo, ou remova a linha.',
  doubleField: (name: string) => `O campo “${name}” está duas vezes.`,
} as const;
