import { useApp } from '../useApp.ts';

/** The picture of a server's own emoji; it stands still for those who want nothing to move. */
export function OwnEmojiPicture({ name, url, smallUrl }: { name: string; url: string; smallUrl: string }) {
  return (
    <picture>
      <source media="(prefers-reduced-motion: reduce)" srcset={smallUrl} />
      <img class="own-emoji" src={url} alt={`:${name}:`} title={`:${name}:`} loading="lazy" draggable={false} />
    </picture>
  );
}

/** A name between colons in a text: an emoji of the present server, or else the name. */
export function NamedEmoji({ name }: { name: string }) {
  const emoji = useApp().ownEmoji.named(name);
  return emoji ? <OwnEmojiPicture {...emoji} /> : `:${name}:`;
}
