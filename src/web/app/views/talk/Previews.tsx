import type { Message } from '../../../../client/index.ts';
import { IconButton } from '../parts/Button.tsx';
import { Picture } from '../parts/Picture.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { mayModerate } from './permissions.ts';

type Preview = Message['previews'][number];

/** What the pages that a message links to say of themselves. */
export function Previews({ message }: { message: Message }) {
  const { t } = useTexts();
  const app = useApp();
  const { id, authorId, channelId } = message;
  // Events of earlier versions have none.
  const list: readonly Preview[] | undefined = message.previews;
  if (!list?.length) return null;
  const mayRemove = authorId === app.me.value?.id || mayModerate(app, channelId, 'message:delete-others');
  const remove = (url: string) =>
    void app.attempt(() => app.client.rest('DELETE /api/messages/:id/previews', { id, query: { url } }));
  return (
    <ul class="previews" aria-label={t('Pages it links to')}>
      {list.map((preview) => (
        <li key={preview.url}>
          <Card preview={preview} />
          {mayRemove && (
            <IconButton
              icon="close"
              label={t('Remove the preview of {name}', { name: nameOf(preview) })}
              onClick={() => remove(preview.url)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

const hostOf = ({ url }: Preview): string => URL.parse(url)?.hostname ?? url;
const nameOf = (preview: Preview): string => preview.title ?? hostOf(preview);

/** Pictures have a place of a fixed shape, so nothing moves when they come. The host is shown whatever the page says. */
function Card({ preview }: { preview: Preview }) {
  const { url, siteName, title, description, imageUrl, isLarge } = preview;
  const host = hostOf(preview);
  return (
    <a class={isLarge ? 'preview large' : 'preview'} href={url} target="_blank" rel="noopener noreferrer nofollow">
      <span class="said">
        <span class="faint" dir="auto">
          {siteName && siteName !== host ? `${siteName} · ${host}` : host}
        </span>
        {title && <strong dir="auto">{title}</strong>}
        {description && <span dir="auto">{description}</span>}
      </span>
      {imageUrl && (
        <span class="shown">
          <Picture url={imageUrl} size="large" />
        </span>
      )}
    </a>
  );
}
