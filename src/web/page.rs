//! The page: its canvas, its address, its downloads.

use eframe::wasm_bindgen::{JsCast, JsValue};
use eframe::{WebOptions, WebRunner};
use web_sys::{Blob, Document, HtmlAnchorElement, HtmlCanvasElement, Url, window};

use stokeslet_flow::export::hand_out_files;
use stokeslet_gui::command::Command;
use stokeslet_gui::{App, Start};

/// Opens the window on the page; what keeps it from being opened is said there.
pub fn open() {
    hand_out_files(|name, bytes| {
        // A page that may not download says so itself.
        let _ = download(name, bytes);
    });
    wasm_bindgen_futures::spawn_local(async {
        let opened = start().await;
        let Some(document) = document() else {
            return;
        };
        if let Some(told) = document.get_element_by_id("told") {
            match opened {
                Ok(()) => told.remove(),
                Err(why) => {
                    told.set_text_content(Some(&format!("This browser can't show it: {why:?}")))
                }
            }
        }
    });
}

fn document() -> Option<Document> {
    window()?.document()
}

async fn start() -> Result<(), JsValue> {
    let canvas = document().and_then(|document| document.get_element_by_id("stokeslet"));
    let canvas = canvas.ok_or_else(|| JsValue::from_str("the page has no canvas"))?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().map_err(JsValue::from)?;
    let make = |creation: &eframe::CreationContext<'_>| {
        let mut app = App::new(&Start::default(), &creation.egui_ctx);
        // `#tee` behind the address opens that example.
        if let Some(name) = wanted() {
            app.apply(Command::OpenExample(name));
        }
        let app: Box<dyn eframe::App> = Box::new(app);
        Ok(app)
    };
    let runner = WebRunner::new();
    runner
        .start(canvas, WebOptions::default(), Box::new(make))
        .await
}

/// What stands behind the hash of the address.
fn wanted() -> Option<String> {
    let hash = window()?.location().hash().ok()?;
    let name = hash.trim_start_matches('#');
    (!name.is_empty()).then(|| name.to_owned())
}

/// Has the browser save a file.
fn download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let document = document().ok_or(JsValue::NULL)?;
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let address = Url::create_object_url_with_blob(&Blob::new_with_u8_array_sequence(&parts)?)?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&address)
}
