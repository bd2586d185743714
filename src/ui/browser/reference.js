/** Remembers the language of the examples and adds copy buttons. The pages work without it. */
const SETTING = 'sandlot.reference.language';

/** @returns {string | null} */
function savedLanguage() {
  try {
    return localStorage.getItem(SETTING);
  } catch {
    return null;
  }
}

/** @type {NodeListOf<HTMLInputElement>} */
const radios = document.querySelectorAll('input[name="language"]');
for (const radio of radios) {
  if (radio.value === savedLanguage()) radio.checked = true;
  radio.addEventListener('change', () => {
    try {
      localStorage.setItem(SETTING, radio.value);
    } catch {}
  });
}

const status = document.createElement('p');
status.className = 'unseen';
status.setAttribute('role', 'status');
document.body.append(status);

let timer = 0;
let restore = () => {};

/**
 * Copies a text and says so for a moment, on the button and to screen readers.
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
async function copy(button, text) {
  const result = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  );
  clearTimeout(timer);
  restore();
  button.textContent = result;
  status.textContent = result;
  restore = () => {
    button.textContent = button.dataset.label ?? '';
    status.textContent = '';
  };
  timer = setTimeout(restore, 1_500);
}

/** @param {Element} copies @param {string} label @param {() => string} textOf */
function addButton(copies, label, textOf) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.dataset.label = label;
  button.addEventListener('click', () => copy(button, textOf()));
  copies.append(button);
}

/** @param {Element} figure */
const codeOf = (figure) => `${figure.querySelector('code')?.textContent ?? ''}\n`;

/** @type {NodeListOf<HTMLElement>} */
const figures = document.querySelectorAll('figure.code');
for (const figure of figures) {
  const copies = document.createElement('div');
  copies.className = 'copies';
  figure.prepend(copies);
  const signer = document.getElementById(figure.dataset.signer ?? '');
  addButton(copies, signer ? 'Copy call' : 'Copy', () => codeOf(figure));
  if (signer) addButton(copies, 'Copy program', () => `${codeOf(signer)}\n${codeOf(figure)}`);
}
