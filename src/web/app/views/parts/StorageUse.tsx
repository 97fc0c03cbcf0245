import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { formatSize } from '../../state/sizes.ts';
import { useTexts } from '../useApp.ts';
import { useLoaded } from './loading.ts';
import { Block } from './Page.tsx';

type Storage = RestAnswer<'GET /api/auth/me/storage'>;

const kinds: Record<Storage['kinds'][number]['kind'], Message> = {
  messages: 'Files of messages',
  pictures: 'Pictures',
  workspaces: 'Files of workspaces',
  apps: 'Apps',
};

interface Props {
  about: string;
  read(): Promise<Storage>;
  on: readonly unknown[];
}

/** How much is stored, and may be: a bar with words. */
export function StorageUse({ about, read, on }: Props) {
  const { t } = useTexts();
  const { value: storage } = useLoaded(read, on);
  return (
    <Block title={t('Storage')} about={about}>
      {storage && <Use {...storage} />}
    </Block>
  );
}

function Use({ usedBytes, quotaBytes, kinds: parts }: Storage) {
  const { t } = useTexts();
  const sizes = { used: formatSize(usedBytes), quota: formatSize(quotaBytes) };
  const words = t('{used} of {quota} are used.', sizes);
  return (
    <>
      <meter class="storage" min={0} max={Math.max(quotaBytes, 1)} value={usedBytes} aria-label={words} />
      <p>{words}</p>
      <ul class="faint">
        {parts
          .filter(({ bytes }) => bytes > 0)
          .map(({ kind, bytes, files }) => (
            <li key={kind}>
              {t(kinds[kind])} · <bdi>{formatSize(bytes)}</bdi> ·{' '}
              {t('{count, plural, one {# file} other {# files}}', { count: files })}
            </li>
          ))}
      </ul>
    </>
  );
}
