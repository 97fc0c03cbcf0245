import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useApp, useTexts } from '../useApp.ts';
import { Icon, type IconName } from './Icon.tsx';

export interface Tab {
  href: string;
  label: string;
  icon: IconName;
  current: boolean;
}

interface PageProps {
  title: string;
  /** Target of the back button that phones show. */
  back: string;
  tabs?: Tab[];
  /** At the end of the bar. */
  actions?: ComponentChildren;
  /** There may be nothing in it that takes the focus: it takes it itself, to be scrolled by the keyboard. */
  isRead?: boolean;
  children: ComponentChildren;
}

/** A page other than a conversation. */
export function Page({ title, back, tabs, actions, isRead = false, children }: PageProps) {
  const { t } = useTexts();
  const { setTitle } = useApp();
  const ref = useRef<HTMLElement>(null);
  const here = tabs?.find(({ current }) => current)?.href;
  useEffect(() => {
    // On a phone the tabs are wider than the screen.
    const strip = ref.current;
    const current = strip?.querySelector<HTMLElement>('[aria-current]');
    // `scrollIntoView` would make the first Tab start here, past the skip link.
    if (strip && current) strip.scrollLeft += middleOf(current) - middleOf(strip);
  }, [here]);
  useEffect(() => setTitle(title), [title]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href={back} aria-label={t('Back')}>
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="name">{title}</span>
        </h1>
        <span class="space" />
        {actions}
      </header>
      <div class={tabs ? 'sections' : 'sections plain'}>
        {tabs && (
          <nav class="tabs" ref={ref} aria-label={t('Sections of {title}', { title })}>
            {tabs.map(({ href, label, icon, current }) => (
              <a key={href} class="entry" href={href} aria-current={current ? 'page' : undefined}>
                <Icon name={icon} />
                <span class="name">{label}</span>
              </a>
            ))}
          </nav>
        )}
        <section class="body" aria-label={isRead ? title : undefined} tabIndex={isRead ? 0 : undefined}>
          {children}
        </section>
      </div>
    </section>
  );
}

/** @returns pixels from the left of the screen */
function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}

/** A part of a page, with its heading. */
export function Block({ title, about, children }: { title: string; about?: string; children: ComponentChildren }) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {about && <p class="faint">{about}</p>}
      {children}
    </section>
  );
}

interface RowProps {
  name: ComponentChildren;
  about?: ComponentChildren;
  /** Before the name. */
  picture?: ComponentChildren;
  /** Target of the name. */
  href?: string;
  /** Its actions. */
  children?: ComponentChildren;
}

/** An entry of a list, with its actions. */
export function Row({ name, about, picture, href, children }: RowProps) {
  return (
    <li>
      {picture}
      <span class="who">
        {href ? (
          <a class="name" href={href}>
            {name}
          </a>
        ) : (
          <span class="name">{name}</span>
        )}
        {about && <span class="faint">{about}</span>}
      </span>
      {children}
    </li>
  );
}
