import { usePages } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { AuditEntries, type AuditEntry } from '../server/AuditEntries.tsx';
import { useApp, useTexts } from '../useApp.ts';

const logPage = 50;

/** What operators did, by commands and from within. */
export function Log() {
  const { t } = useTexts();
  const { client } = useApp();
  const { list, onMore } = usePages<AuditEntry>(
    logPage,
    (known) => {
      const cursor = known.at(-1)?.id;
      return client.rest('GET /api/operator/audit', { query: { limit: logPage, ...(cursor ? { cursor } : {}) } });
    },
    [],
  );
  return (
    <Block
      title={t('Log')}
      about={t('What operators did. The log cannot be changed; old entries are deleted after some time.')}
    >
      <AuditEntries list={list} onMore={onMore} />
    </Block>
  );
}
