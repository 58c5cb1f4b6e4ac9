/** Unpacks Chromium into the temporary folder of this process, with the libraries of a Lambda. */
import chromium from '@sparticuz/chromium';

chromium.setGraphicsMode = false;
await chromium.executablePath();
