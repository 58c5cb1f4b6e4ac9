/** GET and POST /api/v1/contacts (C4.5, C4.6), one contact, and the organization's tags. */

import {
  ChangeContactBody,
  ContactAnswer,
  ListContactsAnswer,
  ListContactsQuery,
  UpsertContactAnswer,
  UpsertContactBody,
} from '../../shared/api/contact.ts';
import { ListTagsAnswer, ListTagsQuery } from '../../shared/api/tag.ts';
import { contactId } from '../../shared/entity-ids.ts';
import type { ChangeContact, UpsertContact } from '../../shared/wire/commands.ts';
import type { FindOwnContact, ListContacts } from '../../shared/wire/queries.ts';
import { phoneOfSearch } from '../phone.ts';
import { apiRoute, originOf, type Route, sourceOf } from '../route.ts';
import { CONTACT, PAGE_OF_ONE } from './examples.ts';
import { LIST, ONCE } from './sentences.ts';

const listContacts = apiRoute({
  method: 'GET',
  path: '/api/v1/contacts',
  operationId: 'listContacts',
  summary: 'Lista os contatos da organização, do último alterado ao mais antigo.',
  description: `Uma chave de canal vê todos os contatos da organização. ${LIST}`,
  tag: 'Contatos',
  query: ListContactsQuery,
  fieldDescriptions: {
    query: 'Procura em nome, telefone e e-mail.',
    phone: 'Telefone exato, em qualquer formatação.',
    tag: 'Só quem tem esta etiqueta, sem distinguir maiúsculas.',
    optIn: 'Só quem autorizou (`true`), ou quem não autorizou (`false`).',
  },
  answers: {
    200: {
      description: 'Uma página de contatos.',
      schema: ListContactsAnswer,
      example: { data: [CONTACT], ...PAGE_OF_ONE },
    },
  },
  plan({ caller, query, phone }) {
    const queryPhone = query.query ? phoneOfSearch(query.query, caller) : null;
    const payload: ListContacts = {
      orgId: caller.orgId,
      page: query.page,
      limit: query.limit,
      // An empty search is no search: an empty form lists all contacts.
      ...(query.query ? { query: query.query } : {}),
      ...(queryPhone === null ? {} : { queryPhone }),
      ...(phone === null ? {} : { phone }),
      ...(query.tag === undefined ? {} : { tag: query.tag }),
      ...(query.optIn === undefined ? {} : { optIn: query.optIn }),
    };
    return { to: 'query', resource: 'contacts', payload };
  },
});

type Asked = Pick<
  UpsertContact,
  'email' | 'fields' | 'tags' | 'removeFields' | 'removeTags' | 'optIn'
>;

/** What a body asks to change, besides name and phone; a field that it lacks stays out. */
function askedOf({
  email,
  fields,
  tags,
  removeFields,
  removeTags,
  optIn,
}: { readonly [Field in keyof Asked]: Asked[Field] | undefined }): Asked {
  return {
    ...(email === undefined ? {} : { email }),
    ...(fields === undefined ? {} : { fields }),
    ...(tags === undefined ? {} : { tags }),
    ...(removeFields === undefined ? {} : { removeFields }),
    ...(removeTags === undefined ? {} : { removeTags }),
    ...(optIn === undefined ? {} : { optIn }),
  };
}

const upsertContact = apiRoute({
  method: 'POST',
  path: '/api/v1/contacts',
  operationId: 'upsertContact',
  access: 'full',
  summary: 'Cria ou atualiza o contato do telefone informado.',
  description:
    'O telefone é a chave do contato: repetir a chamada atualiza e não duplica. `fields` e ' +
    '`tags` se somam aos existentes; aplicar uma etiqueta pode iniciar um fluxo. `removeFields` e ' +
    '`removeTags` retiram, e não iniciam nenhum.',
  tag: 'Contatos',
  body: UpsertContactBody,
  bodyExample: {
    phone: '+55 (11) 98888-7777',
    name: 'Maria Lima',
    fields: { plano: 'ouro' },
    tags: ['vip'],
    optIn: true,
  },
  answers: {
    200: {
      description: 'O contato já existia e foi atualizado.',
      schema: UpsertContactAnswer,
      example: { data: CONTACT, created: false },
    },
    201: {
      description: 'O contato foi criado.',
      schema: UpsertContactAnswer,
      example: { data: CONTACT, created: true },
    },
  },
  plan({ caller, ids, body, phone }) {
    const { name } = body;
    const command: UpsertContact = {
      id: ids.fresh('cmd'),
      type: 'upsert',
      orgId: caller.orgId,
      phone: phone ?? '',
      ...(name === undefined ? {} : { name }),
      ...askedOf(body),
      source: sourceOf(caller),
      origin: originOf(caller),
    };
    const key = contactId(ids, caller.orgId, command.phone);
    return { to: 'actor', address: { kind: 'contact', key }, command };
  },
});

const getContact = apiRoute({
  method: 'GET',
  path: '/api/v1/contacts/{id}',
  pathId: { description: 'Id do contato.', example: CONTACT.id },
  operationId: 'getContact',
  summary: 'Um contato, como na lista.',
  description: 'O id de um contato que foi unido a outro responde com o que ficou.',
  tag: 'Contatos',
  answers: {
    200: { description: 'O contato.', schema: ContactAnswer, example: { data: CONTACT } },
  },
  refusals: [404],
  plan({ caller: { orgId }, params }) {
    const payload: FindOwnContact = { orgId, id: params.id ?? '', withHistory: false };
    return { to: 'query', resource: 'own-contact', payload };
  },
});

const changeContact = apiRoute({
  method: 'POST',
  path: '/api/v1/contacts/{id}',
  pathId: { description: 'Id do contato.', example: CONTACT.id },
  operationId: 'changeContact',
  access: 'full',
  summary: 'Altera um contato existente; tudo ou nada.',
  description:
    'Ao menos um campo. `fields` e `tags` se somam aos existentes, e aplicar uma etiqueta pode ' +
    'iniciar um fluxo; `removeFields` e `removeTags` retiram, e não iniciam nenhum. O telefone ' +
    `não muda por aqui (422). ${ONCE}`,
  tag: 'Contatos',
  body: ChangeContactBody,
  fieldDescriptions: {
    name: 'Nome do contato; nulo apaga, vazio não muda.',
    phone: 'Não pode ser enviado.',
  },
  bodyExample: { name: 'Maria Lima', tags: ['vip'], removeTags: ['novo'] },
  answers: {
    200: { description: 'O contato alterado.', schema: ContactAnswer, example: { data: CONTACT } },
  },
  refusals: [404],
  plan({ caller, ids, params, body }) {
    const { name } = body;
    const command: ChangeContact = {
      id: ids.fresh('cmd'),
      type: 'change',
      orgId: caller.orgId,
      phone: '',
      ...(name === undefined ? {} : { name }),
      ...askedOf(body),
      source: sourceOf(caller),
      origin: originOf(caller),
    };
    return { to: 'actor', address: { kind: 'contact', key: params.id ?? '' }, command };
  },
});

const listTags = apiRoute({
  method: 'GET',
  path: '/api/v1/tags',
  operationId: 'listTags',
  summary: 'Lista as etiquetas da organização em ordem alfabética.',
  description: `Cada uma na grafia em que foi criada. ${LIST}`,
  tag: 'Contatos',
  query: ListTagsQuery,
  answers: {
    200: {
      description: 'Uma página de etiquetas.',
      schema: ListTagsAnswer,
      example: { data: [{ name: 'vip' }], ...PAGE_OF_ONE },
    },
  },
  plan({ caller: { orgId }, query: { page, limit } }) {
    return { to: 'query', resource: 'tags-page', payload: { orgId, page, limit } };
  },
});

export const CONTACT_ROUTES: readonly Route[] = [
  listContacts,
  upsertContact,
  getContact,
  changeContact,
  listTags,
];
