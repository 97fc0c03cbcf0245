import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { formatSize } from '../../state/sizes.ts';
import type { Texts } from '../../state/texts.ts';
import { More } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { usePages } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { roughly } from './rough.ts';

type Operated = RestAnswer<'GET /api/operator/servers'>[number];

const pageSize = 20;

/** The servers, with who owns them and how much is in them. */
export function Servers() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const [search, setSearch] = useState('');
  const { list, onMore } = usePages<Operated>(
    pageSize,
    (known) =>
      client.rest('GET /api/operator/servers', { query: { search, limit: pageSize, cursor: known.at(-1)?.id } }),
    [search],
  );
  return (
    <Block title={t('Servers')} about={t('The newest servers. Search by name.')}>
      <Form action={t('Search')} work={async ({ text }) => setSearch(text('search'))}>
        <Field label={t('Name')} name="search" maxlength={100} />
      </Form>
      {list?.length === 0 && <p class="empty">{t('No server matches.')}</p>}
      <ul class="people">
        {list?.map((server) => (
          <Row key={server.id} name={<bdi>{server.name}</bdi>} about={aboutServer(texts, server)} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Block>
  );
}

function aboutServer(texts: Texts, server: Operated): string {
  const { t, shortTime } = texts;
  const { owner, members, messages, attachments, filesBytes, isPublic, createdAt } = server;
  const size = formatSize(attachments.bytes);
  return [
    t('Owner: {name}', { name: owner.displayName }),
    isPublic && t('Public'),
    t('{count, plural, one {# member} other {# members}}', { count: members }),
    t('Messages: {count}', { count: roughly(texts, messages) }),
    t('Attachments: {size}', { size: attachments.isAbout ? t('about {count}', { count: size }) : size }),
    t('Files: {size}', { size: formatSize(filesBytes) }),
    shortTime(createdAt),
  ]
    .filter(Boolean)
    .join(' · ');
}
