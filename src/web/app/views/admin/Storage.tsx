import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { formatSize } from '../../state/sizes.ts';
import type { Texts } from '../../state/texts.ts';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Facts } from './Facts.tsx';

type Shown = RestAnswer<'GET /api/operator/storage'>;

const parts: Record<Shown['parts'][number]['part'], Message> = {
  messages: 'Messages',
  search: 'Search index',
  events: 'Logs of events',
  files: 'Contents of files',
  other: 'Everything else',
};

const kinds: Record<Shown['files'][number]['kind'], Message> = {
  attachments: 'Attachments',
  workspaces: 'Files',
  versions: 'Older versions of files',
  apps: 'Apps',
  pictures: 'Pictures',
  exports: 'Exports',
};

/** What takes room. */
export function Storage() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { value } = useLoaded(() => client.rest('GET /api/operator/storage'), []);
  if (!value) return null;
  return (
    <>
      <Block title={t('Database')} about={t('Including indexes. Identical contents are stored once.')}>
        <Facts
          facts={[
            [t('Total'), formatSize(value.databaseBytes)],
            ...value.parts.map(({ part, bytes }) => [t(parts[part]), formatSize(bytes)] as const),
          ]}
        />
      </Block>
      <Block title={t('Stored by people')} about={t('With many files, sizes are estimated from a sample.')}>
        <Facts facts={value.files.map((one) => [t(kinds[one.kind]), storedText(texts, one)] as const)} />
      </Block>
    </>
  );
}

function storedText({ t }: Texts, { count, bytes, isAbout }: Shown['files'][number]): string {
  const size = isAbout ? t('about {count}', { count: formatSize(bytes) }) : formatSize(bytes);
  return `${size} · ${t('{count, plural, one {# file} other {# files}}', { count })}`;
}
