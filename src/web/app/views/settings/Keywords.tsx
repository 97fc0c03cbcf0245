import { IconButton } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** As many as the server keeps. */
const most = 50;

/** Words of the user's own that notify them. */
export function Keywords() {
  const { t } = useTexts();
  const { preferences, attempt } = useApp();
  const { keywords } = preferences.current.value;
  const add = async (fields: Fields) => {
    const keyword = fields.text('keyword');
    if (!/[\p{L}\p{N}]/u.test(keyword)) throw new Error(t('A keyword needs a letter or a digit.'));
    if (keywords.length >= most) throw new Error(t('You have {most} keywords already; remove one first.', { most }));
    await preferences.change({ keywords: [...keywords, keyword] });
  };
  const remove = (gone: string) => preferences.change({ keywords: keywords.filter((one) => one !== gone) });
  return (
    <Block
      title={t('Keywords')}
      about={t(
        'You are notified, as if you were mentioned, when someone writes one of these in a channel you can read. Case and accents do not matter.',
      )}
    >
      {keywords.length > 0 && (
        <ul class="people">
          {keywords.map((keyword) => (
            <Row key={keyword} name={<span dir="auto">{keyword}</span>}>
              <IconButton
                icon="trash"
                label={t('Remove {name}', { name: keyword })}
                onClick={() => void attempt(() => remove(keyword))}
              />
            </Row>
          ))}
        </ul>
      )}
      <Form action={t('Add')} work={add} clear>
        <Field label={t('Word or phrase')} name="keyword" maxlength={64} required />
      </Form>
    </Block>
  );
}
